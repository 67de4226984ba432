// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/watchdog/lane_waits.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "platform/observe/report/fault_report.h"
#include "platform/observe/watchdog/warp_names.h"

namespace spica::watchdog {

namespace {

constexpr std::size_t kMostWords = 4;

bool of_warp(const protocol::Origin& origin, const WarpFact& warp) {
  return origin.core == warp.core && origin.warp == warp.warp;
}

/// What a lane of another warp does, or where one of the same warp is: ", which waits at f, x.cpp:7".
std::string whereabouts(const protocol::Origin& holder, const WarpFact& warp, const HangFacts& facts,
                        const Names& names) {
  const auto at = [&](std::uint32_t pc) {
    const std::string place = names.place(pc);
    return place.empty() ? fmt::format("at pc {:#010x}", pc) : "at " + place;
  };
  if (of_warp(holder, warp)) {
    if ((spinning_lanes(warp) & holder.lanes) != 0) return ", which spins";
    const WaitingLanes waiting = waiting_lanes(warp);
    if ((waiting.lanes & holder.lanes) == 0) return "";
    return fmt::format(", which waits {}{}", waiting.parked ? "" : "behind the split ", at(waiting.pc));
  }
  for (const WarpFact& other : facts.warps) {
    if (!of_warp(holder, other)) continue;
    if (!other.running) return ", which has ended";
    if (other.at_barrier)
      return fmt::format(", which waits at barrier {} {}", other.barrier_id, at(other.pc));
    if (facts.spins(other)) return ", which spins " + at(other.activity.branch_pc);
    return ", which is " + at(other.pc);
  }
  return "";
}

struct Wanted {
  std::uint32_t lanes = 0;  // that poll the word
  bool lock = false;        // by atomics, and it is not 0
};
std::map<std::uint32_t, Wanted> wanted_words(const WarpFact& warp) {
  std::map<std::uint32_t, Wanted> words;
  for (const Poll& poll : warp.activity.polls)
    for (std::uint32_t rest = poll.what == Poll::What::kCsr ? 0 : poll.lanes; rest != 0; rest &= rest - 1) {
      Wanted& word = words[poll.addresses[static_cast<unsigned>(__builtin_ctz(rest))]];
      word.lanes |= rest & -rest;
      word.lock |= poll.what == Poll::What::kAtomic && poll.value != 0;
    }
  return words;
}

}  // namespace

std::string lanes_name(std::uint32_t lanes) {
  return fmt::format("lane{} {}", (lanes & (lanes - 1)) == 0 ? "" : "s", report::lanes_text(lanes));
}

std::uint32_t spinning_lanes(const WarpFact& warp) {
  if (warp.activity.polls.empty()) return warp.mask;
  const bool parks = std::any_of(warp.splits.begin(), warp.splits.end(),
                                 [](const WarpFact::Split& split) { return split.parked; });
  std::uint32_t lanes = 0;
  for (const Poll& poll : warp.activity.polls) {
    lanes |= poll.lanes;
    if (!parks && lanes != 0) break;
  }
  return lanes != 0 ? lanes : warp.mask;
}

WaitingLanes waiting_lanes(const WarpFact& warp) {
  for (const Poll& poll : warp.activity.polls)
    if (poll.waiting != 0) return {poll.waiting, poll.split_pc, false};
  // Splits that open and close in the loop may be open or not when the run stops.
  const std::uint32_t spinning = spinning_lanes(warp);
  for (auto split = warp.splits.rbegin(); split != warp.splits.rend(); ++split) {
    if (split->parked) {
      if ((split->waiting & spinning) == 0) return {split->waiting, split->pc, true};
    } else if (split->waiting != 0 &&
               !std::binary_search(warp.activity.splits.begin(), warp.activity.splits.end(), split->pc)) {
      return {split->waiting, split->pc, false};
    }
  }
  return {};
}

std::string holders_text(const WarpFact& warp, const HangFacts& facts, const Names& names) {
  std::string text;
  std::size_t shown = 0;
  for (const auto& [address, word] : wanted_words(warp)) {
    const auto change = facts.changes.find(address);
    if (change == facts.changes.end()) continue;
    const protocol::Origin& holder = change->second;
    if (of_warp(holder, warp) && holder.lanes == word.lanes && !word.lock) continue;
    if (++shown > kMostWords) break;
    const std::string who =
        lanes_name(holder.lanes) + (of_warp(holder, warp)
                                        ? " of the same warp"
                                        : fmt::format(" of core {}, warp {}", holder.core, holder.warp));
    text += fmt::format("; {}, for which {} {}, {} {}{}", names.address(address), lanes_name(word.lanes),
                        (word.lanes & (word.lanes - 1)) == 0 ? "spins" : "spin",
                        word.lock ? "is held by" : "was changed last by", who,
                        whereabouts(holder, warp, facts, names));
  }
  return text;
}

bool warp_holds(const WarpFact& warp, const HangFacts& facts) {
  for (const auto& [address, word] : wanted_words(warp)) {
    const auto change = facts.changes.find(address);
    if (word.lock && change != facts.changes.end() && of_warp(change->second, warp)) return true;
  }
  return false;
}

}  // namespace spica::watchdog
