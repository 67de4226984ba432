// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/trace/filter.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "models/base/suggest.h"
#include "platform/base/input/number_text.h"
#include "platform/base/input/printable.h"

namespace spica::trace {

namespace {

const std::vector<std::string> kKeys{"core", "warp", "pc", "function", "cycles"};

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t end = text.find(at); end != std::string::npos; end = text.find(at, begin)) {
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  parts.push_back(text.substr(begin));
  return parts;
}

/// "7", "3-5", "3-", "-5".
std::optional<Range> parse_range(const std::string& text) {
  const std::size_t dash = text.find('-');
  Range range;
  const std::string first = text.substr(0, dash);
  const std::string last = dash == std::string::npos ? first : text.substr(dash + 1);
  if (first.empty() && last.empty()) return std::nullopt;
  for (const auto& [part, to] : {std::pair(&first, &range.first), std::pair(&last, &range.last)}) {
    if (part->empty()) continue;
    const auto number = input::parse_number(*part);
    if (!number) return std::nullopt;
    *to = *number;
  }
  return range;
}

/// The instructions of a function, inlined ones too, as ranges of addresses; also collects all names.
std::vector<Range> pcs_of(const std::string& function, const loader::Program& program,
                          const loader::SourceMap& sources, std::set<std::string>& names) {
  std::vector<Range> ranges;
  const loader::Symbol* symbol = sources.find_symbol(function);
  for (const loader::Segment& segment : program.segments) {
    if (!segment.executable) continue;
    for (std::uint64_t pc = segment.address; pc + 4 <= segment.address + segment.bytes.size(); pc += 4) {
      const loader::Location& place = sources.lookup(pc);
      bool inside = place.frame.function == function;
      if (!place.frame.function.empty()) names.insert(place.frame.function);
      for (const loader::Frame& frame : place.inlined_into) {
        inside |= frame.function == function;
        names.insert(frame.function);
      }
      if (!inside && symbol != nullptr) {
        const loader::Symbol* here = sources.function_at(pc);
        inside = here != nullptr && here->address == symbol->address;
      }
      if (!inside) continue;
      if (!ranges.empty() && ranges.back().last + 1 == pc) ranges.back().last = pc + 3;
      else ranges.push_back({pc, pc + 3});
    }
  }
  return ranges;
}

}  // namespace

Filter::Filter(const std::vector<std::string>& texts, const Machine& machine, const loader::Program& program,
               const loader::SourceMap& sources, std::vector<std::string>& problems) {
  for (const std::string& text : texts)
    for (const std::string& term : split(text, ',')) {
      const std::size_t equals = term.find('=');
      if (equals == std::string::npos) {
        problems.push_back(
            fmt::format("--trace-filter: '{}' is not KEY=VALUE (keys are {})", term, fmt::join(kKeys, ", ")));
        continue;
      }
      read(term.substr(0, equals), term.substr(equals + 1), machine, program, sources, problems);
    }
}

void Filter::read(const std::string& key, const std::string& value, const Machine& machine,
                  const loader::Program& program, const loader::SourceMap& sources,
                  std::vector<std::string>& problems) {
  const auto wrong = [&](const std::string& what) {
    problems.push_back(fmt::format("--trace-filter: {}={}: {}", key, value, what));
  };
  if (std::find(kKeys.begin(), kKeys.end(), key) == kKeys.end())
    return wrong(fmt::format("unknown key '{}'{} (keys are {})", key, base::did_you_mean(key, kKeys),
                             fmt::join(kKeys, ", ")));
  if (key == "function") {
    std::set<std::string> names;
    const std::vector<Range> pcs = pcs_of(input::printable(value), program, sources, names);
    if (pcs.empty())
      return wrong("the program has no such function" +
                   base::did_you_mean(value, {names.begin(), names.end()}));
    pcs_.insert(pcs_.end(), pcs.begin(), pcs.end());
    by_pc_ = true;
    return;
  }
  if (key == "cycles" && value == "region") {
    region_ = true;
    return;
  }
  const std::optional<Range> range = parse_range(value);
  if (!range)
    return wrong("must be a number or a range such as 3-5, 3- or -5" +
                 std::string(key == "cycles" ? ", or region (between the program's markers)" : ""));
  if (range->first > range->last) return wrong("the range ends before it begins");
  const auto check = [&](unsigned count, const char* what) {
    const bool open = range->last == ~std::uint64_t{0};
    if (range->first < count && (open || range->last < count)) return true;
    wrong(fmt::format("this machine has {} {} (0-{})", count, what, count - 1));
    return false;
  };
  if (key == "core" && check(machine.cores, "cores")) cores_.push_back(*range);
  if (key == "warp" && check(machine.warps, "warps in each core")) warps_.push_back(*range);
  if (key == "cycles") cycles_.push_back(*range);
  if (key == "pc") {
    pcs_.push_back(*range);
    by_pc_ = true;
  }
}

}  // namespace spica::trace
