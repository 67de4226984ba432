// SPDX-License-Identifier: Apache-2.0
// Reduces a wait-for graph to its cause: the first rule that holds, from errors that no other warp could
// repair to those that only follow from others.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "models/isa/csr.h"
#include "models/isa/instruction.h"
#include "platform/machine/soc/keys.h"
#include "platform/observe/report/fault_report.h"
#include "platform/observe/watchdog/lane_waits.h"
#include "platform/observe/watchdog/wait_graph.h"
#include "platform/observe/watchdog/warp_names.h"

namespace spica::watchdog {

namespace {

using Warps = std::vector<const WarpFact*>;

std::string plural(std::size_t count, const char* one) {
  return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

std::string barrier_name(const Barrier& barrier, const HangFacts& facts) {
  return facts.clusters == 1 ? fmt::format("barrier {}", barrier.id)
                             : fmt::format("barrier {} of cluster {}", barrier.id, barrier.cluster);
}

/// "at worker, main.cpp:12" of any instruction.
std::string at_pc(std::uint32_t pc, const Names& names) {
  const std::string place = names.place(pc);
  return place.empty() ? fmt::format("at pc {:#010x}", pc) : fmt::format("at {}", place);
}

bool one(std::uint32_t lanes) { return (lanes & (lanes - 1)) == 0; }
/// The program counts more warps than the machine has.
std::optional<HangCause> too_many_warps(const WaitGraph& graph, const Names& names) {
  const unsigned most = graph.facts().warps_per_core;
  for (const Barrier& barrier : graph.barriers())
    for (const BarrierAtCore& at : barrier.cores)
      for (const WarpFact* warp : at.waiting)
        if (warp->barrier_count > most)
          return HangCause{
              HangKind::kConfiguration,
              fmt::format("{} waits for {} of each core, but a core of this machine has {}: {} {} "
                          "waits there forever",
                          barrier_name(barrier, graph.facts()), plural(warp->barrier_count, "warp"), most,
                          warp_name(*warp), at_pc(warp->pc, names)),
              fmt::format("Count the warps with simt_warps(), or give the cores more warps ({}).",
                          soc::keys::kWarps)};
  return std::nullopt;
}

std::optional<HangCause> counts_disagree(const WaitGraph& graph, const Names& names) {
  for (const Barrier& barrier : graph.barriers())
    for (const BarrierAtCore& at : barrier.cores) {
      if (at.waiting.empty()) continue;
      const WarpFact* low = at.waiting.front();
      const WarpFact* high = low;
      for (const WarpFact* warp : at.waiting) {
        if (warp->barrier_count < low->barrier_count) low = warp;
        if (warp->barrier_count > high->barrier_count) high = warp;
      }
      // A warp may have left the barrier with another count; alone (1), it was there for another purpose.
      for (const Warps* gone : {&at.ended, &at.elsewhere})
        for (const WarpFact* warp : *gone)
          if (warp->barrier_id == barrier.id && warp->barrier_count > 1 &&
              warp->barrier_count < low->barrier_count)
            low = warp;
      if (low->barrier_count == high->barrier_count && low->barrier_count != 0) continue;
      if (low->barrier_count == 0)
        return HangCause{
            HangKind::kDeadlock,
            fmt::format("{} was called with a count of 0 by {} {}: a barrier for no warp is never "
                        "complete",
                        barrier_name(barrier, graph.facts()), warp_name(*low), at_pc(low->pc, names)),
            "Pass the number of warps of each core that arrive at the barrier."};
      return HangCause{
          HangKind::kDeadlock,
          fmt::format("the warps at {} expect different numbers of warps: {} waits for {}{}, {} waits for "
                      "{} ({})",
                      barrier_name(barrier, graph.facts()), warp_name(*low), low->barrier_count,
                      low->at_barrier ? fmt::format(" ({})", at_pc(low->pc, names)) : " and has continued",
                      warp_name(*high), high->barrier_count, at_pc(high->pc, names)),
          "All warps of a core must pass the same count to a barrier."};
    }
  return std::nullopt;
}

/// The warps of one core that last came to the barrier with the smallest and the largest count; a count of 1 is looked
/// at last, for the library's start-up waits alone. Null: they agree.
std::pair<const WarpFact*, const WarpFact*> different_counts(const HangFacts& facts, unsigned core,
                                                             unsigned id) {
  for (const unsigned least : {2u, 1u}) {
    const WarpFact *low = nullptr, *high = nullptr;
    for (const WarpFact& warp : facts.warps) {
      if (warp.core != core || warp.barrier_id != id || warp.barrier_count < least) continue;
      if (low == nullptr || warp.barrier_count < low->barrier_count) low = &warp;
      if (high == nullptr || warp.barrier_count > high->barrier_count) high = &warp;
    }
    if (low != high && low->barrier_count != high->barrier_count) return {low, high};
  }
  return {nullptr, nullptr};
}

/// All warps have ended, and a core has completed a barrier once more than others. Those who complete it wait for its
/// release: so it was complete twice before one release, for one count and for another.
std::optional<HangCause> counts_disagreed(const WaitGraph& graph, const Names&) {
  const HangFacts& facts = graph.facts();
  if (!graph.running().empty() || facts.open_barriers.empty()) return std::nullopt;
  const soc::OpenBarrier& open = facts.open_barriers.front();
  std::vector<unsigned> completed, others;
  for (unsigned i = 0; i < facts.cores_per_cluster; ++i)
    ((open.arrived >> i & 1) != 0 ? completed : others).push_back(open.cluster * facts.cores_per_cluster + i);
  const std::string name = barrier_name({open.cluster, open.id, {}}, facts);
  std::string counts;
  for (const unsigned core : completed)
    if (const auto [low, high] = different_counts(facts, core, open.id); low != nullptr && counts.empty())
      counts = fmt::format(": {} counted {}, {} counted {}", warp_name(*low), low->barrier_count,
                           warp_name(*high), high->barrier_count);
  return HangCause{
      HangKind::kDeadlock,
      fmt::format("the warps of {} that came to {} expected different numbers of warps{}; all warps have "
                  "ended, and the barrier still waits for {}",
                  counted("core", completed), name, counts, counted("core", others)),
      "All warps of a core must pass the same count to a barrier; --check hazards names the places."};
}

/// A warp that waits at a barrier once more than the others of its core, which have ended.
std::optional<HangCause> one_too_many(const WaitGraph& graph, const Names& names) {
  const auto visits_of = [](const WarpFact& warp, unsigned id) {
    return id < warp.barrier_visits.size() ? warp.barrier_visits[id] : protocol::BarrierVisits{};
  };
  for (const Barrier& barrier : graph.barriers())
    for (const BarrierAtCore& at : barrier.cores) {
      const bool all_gone = std::all_of(at.elsewhere.begin(), at.elsewhere.end(), [&](const WarpFact* warp) {
        return graph.facts().spins(*warp) && warp->activity.waits_for_warps();
      });
      if (at.waiting.size() > at.missing() || !all_gone) continue;
      for (const WarpFact* warp : at.waiting) {
        const protocol::BarrierVisits mine = visits_of(*warp, barrier.id);
        Warps fewer;
        for (const WarpFact* other : at.ended)
          if (const unsigned times = visits_of(*other, barrier.id).arrivals;
              times != 0 && times < mine.arrivals)
            fewer.push_back(other);
        if (fewer.empty()) continue;  // no other was ever there
        const std::string name = barrier_name(barrier, graph.facts());
        const std::string before =
            mine.odd_pc != 0
                ? fmt::format("its arrival {} completed the barrier with those of the other warps {}",
                              at_pc(mine.odd_pc, names), at_pc(mine.others_pc, names))
                : fmt::format("it arrived before {}", at_pc(mine.previous_pc, names));
        return HangCause{
            HangKind::kDeadlock,
            fmt::format(
                "{} arrives at {} once more than the other warps of its core: {}, and now it waits {}; {} ended",
                warp_name(*warp), name, before, at_pc(warp->pc, names), warp_names(fewer)),
            "Each warp must arrive at a barrier as often as the others: look for one that only this warp reaches, in a "
            "condition or a loop."};
      }
    }
  return std::nullopt;
}

/// A barrier that misses warps which have ended or wait for the others to end, or a core without any warp left.
std::optional<HangCause> missing_have_ended(const WaitGraph& graph, const Names& names) {
  for (const Barrier& barrier : graph.barriers()) {
    const WarpFact* waits = nullptr;
    for (const BarrierAtCore& at : barrier.cores)
      if (waits == nullptr && !at.waiting.empty()) waits = at.waiting.front();
    const std::string name = barrier_name(barrier, graph.facts());
    for (const BarrierAtCore& at : barrier.cores) {
      Warps could_come, stays;
      for (const WarpFact* warp : at.elsewhere)
        (graph.facts().spins(*warp) && warp->activity.waits_for_warps() ? stays : could_come).push_back(warp);
      if (at.waiting.empty() ? !could_come.empty() : at.missing() <= could_come.size()) continue;
      std::string ended;
      if (!stays.empty())
        ended = fmt::format(": {} waits for the others to end {}", warp_names(stays),
                            at_pc(stays.front()->pc, names));
      else if (!at.ended.empty())
        ended =
            fmt::format(": {} ended{}", warp_names(at.ended),
                        names.place(at.ended.front()->pc).empty() || names.in_library(at.ended.front()->pc)
                            ? ""  // all that return end there
                            : " " + at_pc(at.ended.front()->pc, names));
      if (at.waiting.empty())
        return HangCause{
            HangKind::kDeadlock,
            fmt::format("{} waits for core {}, where no warp can reach it any more{}; {} waits {}", name,
                        at.core, ended, warp_name(*waits), at_pc(waits->pc, names)),
            "Every core of the cluster must reach each barrier, with the same id."};
      const std::size_t starved = at.missing() - could_come.size();
      return HangCause{
          HangKind::kDeadlock,
          fmt::format("{} is {} short on core {}: {} of {} {} there ({}), {}{}", name,
                      plural(starved, "warp"), at.core, at.waiting.size(), at.count(),
                      at.waiting.size() == 1 ? "waits" : "wait", at_pc(at.waiting.front()->pc, names),
                      could_come.empty() ? std::string("no other warp of the core will arrive")
                                         : fmt::format("only {} could still arrive", warp_names(could_come)),
                      ended),
          "Start as many warps as the barrier counts, and let none end before it."};
    }
  }
  return std::nullopt;
}

/// A barrier that misses warps which wait at another barrier, which misses the first ones.
std::optional<HangCause> different_barriers(const WaitGraph& graph, const Names& names) {
  const auto misses = [](const Barrier& barrier, const WarpFact& warp) {
    for (const BarrierAtCore& at : barrier.cores)
      if (at.core == warp.core && !at.complete() &&
          std::find(at.elsewhere.begin(), at.elsewhere.end(), &warp) != at.elsewhere.end())
        return true;
    return false;
  };
  const auto first_waiting = [&](const Barrier& barrier, const Barrier& missed_by) -> const WarpFact* {
    for (const BarrierAtCore& at : barrier.cores)
      for (const WarpFact* warp : at.waiting)
        if (misses(missed_by, *warp)) return warp;
    return nullptr;
  };
  for (const Barrier& one : graph.barriers())
    for (const Barrier& other : graph.barriers()) {
      if (one.cluster != other.cluster || one.id >= other.id) continue;
      const WarpFact* here = first_waiting(one, other);
      const WarpFact* there = first_waiting(other, one);
      if (here == nullptr || there == nullptr) continue;
      return HangCause{
          HangKind::kDeadlock,
          fmt::format("warps wait for each other at different barriers: {} at {} ({}), {} at {} ({})",
                      warp_name(*here), barrier_name(one, graph.facts()), at_pc(here->pc, names),
                      warp_name(*there), barrier_name(other, graph.facts()), at_pc(there->pc, names)),
          "All warps must reach the same barriers in the same order."};
    }
  return std::nullopt;
}

bool constant_csr(std::uint32_t number) {
  namespace csr = isa::csr;
  return number == csr::kLanes || number == csr::kWarps || number == csr::kCores || number == csr::kCoreId ||
         number == csr::kWarpId || number == csr::kLaneId || number == csr::kHartId;
}

/// What the other warps do while one spins, as the end of a sentence.
std::string the_others(const WaitGraph& graph, const WarpFact& spinner) {
  std::size_t barrier = 0, spin = 0, other = 0;
  for (const WarpFact* warp : graph.running()) {
    if (warp == &spinner) continue;
    ++(warp->at_barrier ? barrier : graph.facts().spins(*warp) ? spin : other);
  }
  if (barrier + spin + other == 0) return "no other warp runs";
  std::string text;
  const auto add = [&text](std::size_t count, const char* what) {
    if (count != 0)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", plural(count, "other warp"), what);
  };
  add(barrier, barrier == 1 ? "waits at a barrier" : "wait at a barrier");
  add(spin, spin == 1 ? "spins, too" : "spin, too");
  add(other, other == 1 ? "runs on" : "run on");
  return text;
}

/// ", reading ..." of another warp that waits for something else by spinning; "" when there is none.
std::string another_spinner(const WaitGraph& graph, const WarpFact& spinner, const Names& names) {
  for (const WarpFact* warp : graph.spinning()) {
    if (warp == &spinner || warp->activity.waits_for_warps() || warp->activity.polls.empty()) continue;
    const Poll& poll = warp->activity.polls.front();
    if (!spinner.activity.polls.empty() && poll.address == spinner.activity.polls.front().address) continue;
    return fmt::format("; {} spins at {}, reading {}", warp_name(*warp),
                       names.place(warp->activity.branch_pc), poll_text(poll, graph.facts(), names));
  }
  return {};
}

/// What to add when a warp waits at a barrier with some of its lanes only.
std::string split_advice(const WaitGraph& graph) {
  for (const WarpFact* warp : graph.running())
    if (warp->at_barrier && !warp->splits.empty())
      return fmt::format(
          " {} waits inside a split: each side arrives at the barrier separately; barriers belong outside.",
          warp_name(*warp));
  return {};
}

HangCause spin_cause(const WaitGraph& graph, const WarpFact& warp, const Names& names) {
  const std::string place = names.place(warp.activity.branch_pc);
  const std::string where = place.empty() ? fmt::format("pc {:#010x}", warp.activity.branch_pc) : place;
  if (warp.activity.trap_pc && warp.activity.polls.empty()) {
    const std::string trap_place = names.place(*warp.activity.trap_pc);
    return {
        HangKind::kLiveLock,
        fmt::format(
            "{} takes the same trap again and again, at pc {:#010x}{}: its trap handler never gets past it",
            warp_name(warp), *warp.activity.trap_pc, trap_place.empty() ? "" : ", " + trap_place),
        ""};
  }
  if (warp.activity.polls.empty())
    return {HangKind::kLiveLock,
            fmt::format("{} loops forever at {}: nothing that could end the loop changes in it",
                        warp_name(warp), where),
            ""};
  HangCause cause{HangKind::kLiveLock, "", ""};
  std::string polls;
  for (const Poll& poll : warp.activity.polls) {
    polls += fmt::format("{}{}", polls.empty() ? "" : " and ", poll_text(poll, graph.facts(), names));
    if (poll.what == Poll::What::kCsr && constant_csr(poll.address) && warp.activity.polls.size() == 1) {
      cause.kind = HangKind::kConfiguration;
      cause.advice = "The register holds a property of the machine; change the program or the configuration.";
    }
  }
  const WaitingLanes waiting = waiting_lanes(warp);
  const bool memory = std::any_of(
      warp.activity.polls.begin(), warp.activity.polls.end(),
      [&](const Poll& poll) { return poll.what != Poll::What::kCsr && !names.peripheral(poll.address); });
  const HangFacts& facts = graph.facts();
  const std::string holders = memory ? holders_text(warp, facts, names) : "";
  const bool holds = memory && warp_holds(warp, facts);
  const std::string rest =
      fmt::format("{}; {}{}", holders, the_others(graph, warp), another_spinner(graph, warp, names));
  if (holds)
    cause.advice =
        "A lane that holds a lock resumes only after the lanes of its warp that want it have left their loop: let it do its "
        "work and release the lock inside the loop, or take locks in one order and with one lane (simt_each_lane).";
  if (waiting.lanes == 0 || !memory) {
    cause.sentence = fmt::format("{} spins at {}, reading {}{}", warp_name(warp), where, polls, rest);
    return cause;
  }
  const std::uint32_t spinning = spinning_lanes(warp);
  cause.sentence = fmt::format(
      "{}, {} {} at {}, reading {}, and {} of the same warp {} for {} {}{}{}", warp_name(warp),
      lanes_name(spinning), one(spinning) ? "spins" : "spin", where, polls, lanes_name(waiting.lanes),
      one(waiting.lanes) ? "waits" : "wait", one(spinning) ? "it" : "them",
      waiting.parked ? "" : "on the other side of the split ", at_pc(waiting.pc, names), rest);
  if (!holds)
    cause.advice = fmt::format(
        "Lanes of a warp take turns: if {} should change that value, let {} do it before the split, or poll outside of it.",
        lanes_name(waiting.lanes), one(waiting.lanes) ? "it" : "them");
  return cause;
}

}  // namespace

namespace {
const char* units_text(const HangFacts& facts) {
  return facts.units_idle ? "; no unit has work" : "; a unit still has work";
}
}  // namespace

std::string poll_text(const Poll& poll, const HangFacts& facts, const Names& names) {
  // Without source lines, at least the register.
  const std::string into =
      names.place(poll.pc).empty() ? fmt::format(" into {}", isa::register_name(poll.row)) : "";
  if (poll.what != Poll::What::kCsr)
    return fmt::format("{}{}{}, always {:#x}{}", names.address(poll.address), into,
                       poll.what == Poll::What::kAtomic ? " by an atomic" : "", poll.value,
                       names.peripheral(poll.address) ? units_text(facts) : "");
  switch (poll.address) {
    case isa::csr::kAccelerator:
      return fmt::format("the busy bits of the matrix units (CSR {:#x}){}, always {:#x}{}", poll.address,
                         into, poll.value, units_text(facts));
    case isa::csr::kActiveWarps:
      return fmt::format("the running warps of its core (CSR {:#x}){}, always {:#x}", poll.address, into,
                         poll.value);
    default: {
      const char* name = isa::csr::name(poll.address);
      return fmt::format("CSR {}{:#x}{}{}, always {:#x}", name != nullptr ? std::string(name) + " (" : "",
                         poll.address, name != nullptr ? ")" : "", into, poll.value);
    }
  }
}

HangCause find_cause(const WaitGraph& graph, const Names& names) {
  for (const auto rule : {too_many_warps, counts_disagree, counts_disagreed, one_too_many, missing_have_ended,
                          different_barriers})
    if (auto cause = rule(graph, names)) {
      cause->advice += split_advice(graph);
      return *cause;
    }
  // Lanes that wait for a lane of their own warp wait for no other.
  for (const WarpFact* warp : graph.spinning())
    if (warp_holds(*warp, graph.facts())) return spin_cause(graph, *warp, names);
  // A warp that waits for others to end is never the first in a chain.
  for (const WarpFact* warp : graph.spinning())
    if (!warp->activity.waits_for_warps()) return spin_cause(graph, *warp, names);
  if (!graph.spinning().empty()) return spin_cause(graph, *graph.spinning().front(), names);
  if (graph.running().empty())
    return {HangKind::kMachine, "all warps have ended, but some blocks still wait for each other", ""};
  const WarpFact& first = *graph.running().front();
  return {HangKind::kMachine,
          fmt::format("{} is still running {} ({}), and nothing in the machine can make progress",
                      warp_name(first), at_pc(first.pc, names), first.doing),
          ""};
}

}  // namespace spica::watchdog
