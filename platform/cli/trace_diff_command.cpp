// SPDX-License-Identifier: Apache-2.0
// `spica trace-diff A B`: where two logs of instructions part.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "platform/base/input/printable.h"
#include "platform/base/text/number_format.h"
#include "platform/cli/commands.h"
#include "platform/cli/paths.h"
#include "platform/machine/loader/program.h"
#include "platform/machine/loader/source_map.h"
#include "platform/observe/trace/log_compare.h"

namespace spica::cli {

namespace {

struct TraceDiffOptions {
  std::string files[2], programs[2];
  trace::CompareRules rules;
  unsigned context = 3;
};

/// A program, for the origin of an instruction.
class Sources {
 public:
  explicit Sources(const std::string& elf) {
    if (elf.empty()) return;
    program_.emplace(loader::load_elf(places().program(elf)));
    map_.emplace(*program_);
  }
  /// "main.cpp:12 (move)"; "" without a program.
  std::string place(std::uint32_t pc) const {
    if (!map_) return {};
    const loader::Frame& frame = map_->lookup(pc).frame;
    const std::string place = frame.place();
    return place.empty()
               ? frame.function
               : fmt::format("{}{}", place, frame.function.empty() ? "" : " (" + frame.function + ")");
  }

 private:
  std::optional<loader::Program> program_;
  std::optional<loader::SourceMap> map_;
};

/// "1 warp", "2 warps".
std::string counted(std::size_t count, const char* what) {
  return fmt::format("{} {}{}", text::grouped(count), what, count == 1 ? "" : "s");
}

std::string kind_text(trace::Divergence::Kind kind) {
  using Kind = trace::Divergence::Kind;
  switch (kind) {
    case Kind::kPc: return "they continue at different pcs";
    case Kind::kLanes: return "other lanes take part";
    case Kind::kInstruction: return "the program has another instruction there";
    case Kind::kEffect: return "registers or memory get other values";
    case Kind::kFirstEnds: return "the first log ends";
    case Kind::kSecondEnds: return "the second log ends";
  }
  return "?";
}

/// The instructions before one of a warp, and that one.
void print_side(const std::string& file, const std::vector<trace::LoggedInstruction>* log, std::size_t index,
                const Sources& sources, unsigned context) {
  fmt::print("\n{}\n", input::printable(file));
  if (log == nullptr) {
    fmt::print("  the warp is not in it\n");
    return;
  }
  for (std::size_t i = index - std::min<std::size_t>(index, context); i <= index; ++i) {
    const char mark = i == index ? '>' : ' ';
    if (i == log->size()) {
      fmt::print("{} its end\n", mark);
      return;
    }
    const trace::LoggedInstruction& one = (*log)[i];
    const std::string place = sources.place(one.pc);
    fmt::print("{} line {}: {}{}\n", mark, one.line, input::printable(std::string(one.text)),
               place.empty() ? "" : "    " + place);
  }
}

int run_trace_diff(const TraceDiffOptions& options) {
  const trace::ComparedLog first(options.files[0]), second(options.files[1]);
  const Sources own(options.programs[0]), other(options.programs[options.programs[1].empty() ? 0 : 1]);
  const std::vector<trace::Divergence> found = trace::compare_logs(first, second, options.rules);
  std::set<trace::WarpName> warps;
  std::size_t instructions = 0;
  for (const auto* log : {&first, &second})
    for (const auto& [warp, list] : log->warps()) {
      warps.insert(warp);
      if (log == &first) instructions += list.size();
    }
  if (found.empty()) {
    fmt::print("the same: {} of {}\n", counted(instructions, "instruction"), counted(warps.size(), "warp"));
    return 0;
  }
  const trace::Divergence& one = found.front();
  fmt::print("different: {} of {}; first core {} warp {}, which is the same for {}: then {}\n", found.size(),
             counted(warps.size(), "warp"), one.warp.first, one.warp.second,
             counted(one.first, "instruction"), kind_text(one.kind));
  const auto log_of = [&](const trace::ComparedLog& log) {
    const auto place = log.warps().find(one.warp);
    return place == log.warps().end() ? nullptr : &place->second;
  };
  print_side(options.files[0], log_of(first), one.first, own, options.context);
  print_side(options.files[1], log_of(second), one.second, other, options.context);
  return 1;
}

void options_of_trace_diff(Command& command) {
  auto options = std::make_shared<TraceDiffOptions>();
  command
      .option("A", options->files[0], "instruction log (--trace FILE.log), or output of spike --log-commits")
      .required();
  command.option("B", options->files[1], "log to compare it with").required();
  command.option("--elf", options->programs[0],
                 "program of A (and B without --other-elf), to show source lines");
  command.option("--other-elf", options->programs[1], "program of B");
  command.flag("--path", options->rules.path_only, "compare pcs, lanes and instructions, not values");
  command.option("--context", options->context, "number of instructions to show before the difference")
      .between(0, 1000)
      .shows_default();
  command.action([options](const std::vector<std::string>&) { return run_trace_diff(*options); });
}

}  // namespace

void add_trace_diff_command(CommandLine& line) {
  line.add("trace-diff", "find the first difference of two instruction logs", options_of_trace_diff);
}

}  // namespace spica::cli
