// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/watchdog/loop_text.h"

#include <fmt/format.h>

#include <cstring>
#include <string>

#include "models/isa/instruction.h"
#include "platform/base/text/number_format.h"
#include "platform/observe/watchdog/lane_waits.h"

namespace spica::watchdog {

namespace {

std::string place_of(std::uint32_t pc, const Names& names) {
  const std::string place = names.place(pc);
  return place.empty() ? fmt::format("pc {:#010x}", pc) : place;
}

/// "a5 = 1234 (+8 each time)", "fa4 = 0.7"
std::string value_text(const LoopValue& value, const Names& names) {
  const bool is_float = value.row >= isa::kFloatRow;
  std::string text = fmt::format("{}{} = ", isa::register_name(value.row),
                                 value.address ? ", loaded from " + names.address(*value.address) + "," : "");
  if (is_float) {
    float number;
    std::memcpy(&number, &value.value, sizeof number);
    text += fmt::format("{}", number);
  } else {
    text += std::to_string(static_cast<std::int32_t>(value.value));
  }
  if (is_float && value.kind != LoopValue::Kind::kConstant) text += " (another one each time)";
  else if (value.kind == LoopValue::Kind::kCounter)
    text += fmt::format(" ({:+} each time)", static_cast<std::int32_t>(value.step));
  else if (value.kind == LoopValue::Kind::kConstant) text += " (always)";
  return text;
}

/// "lane 3 alone is in the loop at f, x.cpp:7 (2,048 iterations while it was watched), ..."
std::string loop_text(const Loop& loop, const Names& names) {
  std::string text = fmt::format(
      "{} {} in the loop at {}: {} iterations while it was watched; exit condition: ", lanes_name(loop.lanes),
      (loop.lanes & (loop.lanes - 1)) != 0 ? "are"
      : loop.waiting != 0                  ? "alone is"
                                           : "is",
      place_of(loop.branch_pc, names), text::grouped(loop.iterations));
  for (std::size_t i = 0; i < loop.values.size(); ++i)
    text += (i == 0 ? "" : ", ") + value_text(loop.values[i], names);
  if (loop.never_ends())
    text += loop.values.size() == 1 ? "; it never becomes 0" : "; they never become equal";
  else if (const auto left = loop.left())
    text += fmt::format("; {} after {} more iterations", loop.values.size() == 1 ? "0" : "equal",
                        text::grouped(*left));
  if (loop.waiting != 0)
    text += fmt::format("; {} of the warp {} for it after {}", lanes_name(loop.waiting),
                        (loop.waiting & (loop.waiting - 1)) == 0 ? "waits" : "wait",
                        place_of(loop.split_pc, names));
  return text;
}

}  // namespace

std::string loops_text(const HangFacts& facts, const Names& names) {
  std::string text;
  for (const WarpFact& warp : facts.warps)
    if (warp.running && !warp.at_barrier && warp.activity.loop)
      text += fmt::format("  core {}, warp {}: {}\n", warp.core, warp.warp,
                          loop_text(*warp.activity.loop, names));
  return text.empty() ? text : "\nLoops\n" + text;
}

std::string long_loop_text(const HangWatch::LongLoop& found, const Names& names) {
  return fmt::format(
      "warning: a loop that may never end, since cycle {} or earlier, now cycle {}\n  core {}, warp {}: {}\n",
      text::grouped(found.since), text::grouped(found.cycle), found.core, found.warp,
      loop_text(found.loop, names));
}

}  // namespace spica::watchdog
