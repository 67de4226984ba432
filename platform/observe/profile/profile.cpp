// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/profile/profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <stdexcept>
#include <tuple>

#include "models/isa/instruction.h"

namespace spica::profile {

namespace {

constexpr const char* kNoWarpRuns = "(no warp runs)";

std::string function_name(const loader::Frame& frame, std::uint32_t pc) {
  return frame.function.empty() ? fmt::format("{:#010x}", pc) : frame.function;
}

/// The functions that an instruction is in, the one with the machine code first, then what was inlined.
std::vector<std::string> functions_at(std::uint32_t pc, const loader::SourceMap& sources) {
  const loader::Location& place = sources.lookup(pc);
  std::vector<std::string> names;
  for (auto frame = place.inlined_into.rbegin(); frame != place.inlined_into.rend(); ++frame)
    names.push_back(function_name(*frame, pc));
  names.push_back(function_name(place.frame, pc));
  return names;
}

std::vector<std::string> functions_of(std::uint32_t node, std::uint32_t pc, const CallTree& calls,
                                      const loader::SourceMap& sources) {
  std::vector<std::uint32_t> pcs{pc};
  for (; node != 0; node = calls.node(node).parent) pcs.push_back(calls.node(node).site);
  std::vector<std::string> names;
  for (auto at = pcs.rbegin(); at != pcs.rend(); ++at)
    for (std::string& name : functions_at(*at, sources)) names.push_back(std::move(name));
  return names;
}

std::string disassembly(const loader::Program& program, std::uint32_t pc, isa::TensorStyle style) {
  const std::optional<std::uint32_t> word = program.word_at(pc);
  return word ? isa::disassemble(isa::decode(*word, style), pc) : "";
}

void sort_by_cycles(std::vector<Row>& rows) {
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Row& a, const Row& b) { return a.cycles() > b.cycles(); });
}

std::uint64_t sum(const Cycles& cycles) {
  return std::accumulate(cycles.begin(), cycles.end(), std::uint64_t{0});
}

void check_sum(const char* what, const std::vector<Row>& rows, std::uint64_t total) {
  std::uint64_t cycles = 0;
  for (const Row& row : rows) cycles += row.cycles();
  if (cycles != total)
    throw std::logic_error(fmt::format("profile: the {} sum to {} of {} cycles", what, cycles, total));
}

std::string note_of(const loader::SourceMap& sources, const loader::Program& program) {
  if (sources.has_line_information()) return "";
  const bool symbols = std::any_of(
      program.symbols.begin(), program.symbols.end(),
      [](const loader::Symbol& symbol) { return symbol.kind == loader::Symbol::Kind::kFunction; });
  return symbols
             ? "the program has no debug information: functions come from its symbols, lines and inlined functions are unknown (compile with -g)"
             : "the program has neither debug information nor function symbols: only addresses are known (compile with -g, do not strip)";
}

}  // namespace

std::string reason_name(std::size_t reason) { return std::string(protocol::issue_reason_names()[reason]); }

std::string Row::place() const { return loader::Frame{"", file, line}.place(false); }

Profile make_profile(const Profiler& profiler, const loader::SourceMap& sources,
                     const loader::Program& program, double clock_mhz, isa::TensorStyle tensor_style) {
  Profile profile;
  profile.cycles = profiler.cycles();
  profile.cores = profiler.cores();
  profile.clock_mhz = clock_mhz;
  profile.total = profile.cycles * profile.cores;
  profile.reasons = profiler.total();
  profile.note = note_of(sources, program);

  std::map<std::string, Row> functions;
  std::map<std::tuple<std::string, std::string, unsigned>, Row> lines;
  for (const auto& [pc, counts] : profiler.instructions()) {
    Row row;
    row.counts = counts;
    row.function = kNoWarpRuns;
    if (pc != Profiler::kNoPc) {
      const loader::Frame& frame = sources.lookup(pc).frame;
      row.function = function_name(frame, pc);
      row.file = frame.file;
      row.line = frame.line;
      row.pc = pc;
      row.compiler_made = frame.line == 0 && !frame.file.empty();
      row.text = disassembly(program, pc, tensor_style);
    }
    Row& function = functions[row.function];
    function.function = row.function;
    function.counts.add(counts);
    Row& line = lines[{row.function, row.file, row.line}];
    line.function = row.function;
    line.file = row.file;
    line.line = row.line;
    line.compiler_made = row.compiler_made;
    line.counts.add(counts);
    profile.instructions.push_back(std::move(row));
  }

  std::map<std::vector<std::string>, Cycles> stacks;
  for (const auto& [key, cycles] : profiler.stacks()) {
    const auto& [node, pc] = key;
    const std::vector<std::string> names = pc == Profiler::kNoPc
                                               ? std::vector<std::string>{kNoWarpRuns}
                                               : functions_of(node, pc, profiler.calls(), sources);
    Cycles& all = stacks[names];
    for (std::size_t i = 0; i < kReasons; ++i) all[i] += cycles[i];
    for (const std::string& name : std::set<std::string>(names.begin(), names.end())) {
      functions[name].function = name;  // a caller may have no instruction of its own
      functions[name].total_cycles += sum(cycles);
    }
  }
  for (auto& [name, row] : functions) profile.functions.push_back(std::move(row));
  for (auto& [key, row] : lines) profile.lines.push_back(std::move(row));
  std::uint64_t in_stacks = 0;
  for (auto& [names, cycles] : stacks) {
    if (sum(cycles) == 0) continue;
    in_stacks += sum(cycles);
    profile.stacks.push_back({names, cycles});
  }
  if (in_stacks != profile.total)
    throw std::logic_error(
        fmt::format("profile: the stacks sum to {} of {} cycles", in_stacks, profile.total));
  check_sum("functions", profile.functions, profile.total);
  check_sum("lines", profile.lines, profile.total);
  check_sum("instructions", profile.instructions, profile.total);
  for (std::vector<Row>* rows : {&profile.functions, &profile.lines, &profile.instructions})
    sort_by_cycles(*rows);
  return profile;
}

}  // namespace spica::profile
