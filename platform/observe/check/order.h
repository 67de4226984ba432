// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <vector>

#include "platform/observe/check/agents.h"
#include "platform/observe/check/clock.h"
#include "platform/observe/check/unit_commands.h"

namespace spica::check {

/// The order of agents: vector clocks, advanced by synchronisation. The rules and their reasons are in docs/checks.md.
/// Independent of addresses and instructions.
///
/// An access that agent A makes in epoch e happens before what agent B does now when B's clock has reached e.
class Order {
 public:
  /// `cores_of_cluster`: cores that share barriers. `barrier_waits`: barriers, wspawn and ends of warps wait for the
  /// memory accesses of their warp.
  Order(const Agents& agents, unsigned cores_of_cluster, bool barrier_waits);

  const Agents& agents() const { return agents_; }
  /// The current epoch of the agent.
  Epoch now(unsigned agent) const { return now_[agent]; }
  /// The clock by which accesses of this agent are ordered: a warp's own, or that of a unit's engine.
  const Clock& clock(unsigned agent) const;
  /// The same under the assumption of another fence, for advice.
  const Clock& issued(unsigned agent) const;
  /// The additional order on this machine, whose barriers wait.
  const Clock& waited(unsigned agent) const;
  bool barrier_waits() const { return barrier_waits_; }
  /// True if stores of the warp in this epoch are complete for all of its lanes, by a fence or a waiting barrier.
  bool complete(unsigned warp, Epoch epoch) const {
    const Knowledge& known = warps_[warp].published;
    return std::max(known.done.of(warp, Access::kWrite), known.waited.of(warp, Access::kWrite)) >= epoch;
  }

  // -- warps
  /// A load into these register rows begins; it is complete when an instruction uses them.
  void load(unsigned warp, std::uint64_t rows) {
    Warp& w = warps_[warp];
    if (!w.loads()) w.loading_since = now_[warp];
    w.loading |= rows;
  }
  void use(unsigned warp, std::uint64_t rows) {
    Warp& w = warps_[warp];
    if ((w.loading & rows) == 0) return;
    w.loading &= ~rows;
    if (!w.loads()) ++now_[warp];  // so that later loads differ from complete ones
  }
  /// The same for fragments, one bit each.
  void load_fragment(unsigned warp, std::uint32_t fragments) {
    Warp& w = warps_[warp];
    if (!w.loads()) w.loading_since = now_[warp];
    w.fragments |= fragments;
  }
  void use_fragments(unsigned warp, std::uint32_t fragments) { warps_[warp].fragments &= ~fragments; }
  /// Loads whose values have not been used yet.
  std::uint64_t loading(unsigned warp) const { return warps_[warp].loading; }
  void fence(unsigned warp);
  /// An instruction that waits for all earlier ones of its warp: CSR accesses.
  void drain(unsigned warp);
  void spawn(unsigned parent, unsigned child);
  void end(unsigned warp);
  /// `warp` has observed the end of warp `ended` of its core.
  void see_end(unsigned warp, unsigned ended);

  /// The warp or engine starts work for another kernel. Its earlier knowledge does not order its further work, which is
  /// in the epochs from since() on. The same holds for its copies and tensor-core reads.
  void begin_anew(unsigned agent);
  /// The first epoch of the agent's current kernel.
  Epoch since(unsigned agent) const { return since_[agent]; }
  /// The knowledge of an agent: a warp, an operation performed for it, or an engine.
  const Knowledge& seen(unsigned agent) const;
  /// The final knowledge of an ended warp.
  const Knowledge& left(unsigned warp) const { return warps_[warp].left; }

  void arrive(unsigned warp, unsigned barrier);
  void release(unsigned core, unsigned barrier);
  /// The barrier of a cluster is reassigned; no warp waits at it.
  void restart_barrier(unsigned cluster, unsigned barrier) { barriers_.erase({cluster, barrier}); }

  /// The knowledge passed to agents that synchronise with the warp now.
  const Knowledge& publish(unsigned warp);
  /// The warp synchronises with an agent that published `from`.
  void acquire(unsigned warp, const Knowledge& from);
  /// The warp synchronises through the value of a word that was stored after a fence: accesses before the fence are
  /// complete.
  void acquire_value(unsigned warp, const Knowledge& from);
  /// The knowledge published by a store of the warp in this epoch.
  Knowledge published_at(unsigned warp, Epoch epoch) const;

  // -- operand reads of a tensor core
  /// A product of the warp begins; its reads belong to the next epoch.
  void tensor_begin(unsigned warp);
  void tensor_wait(unsigned warp);

  // -- asynchronous copies; each group has its own epoch
  void copies_commit(unsigned warp) { ++now_[agents_.copies(warp)]; }
  /// All groups of the warp except the last `most` have landed.
  void copies_wait(unsigned warp, unsigned most);

  // -- units
  /// The warp issues command number `command`, with the knowledge it had published then.
  void command(unsigned unit, std::uint32_t number, unsigned warp, const Knowledge& published);
  /// True if the warp's further accesses come after the command: it issued the command, or has synchronised with the
  /// warp that did.
  bool behind_command(unsigned warp, unsigned unit, std::uint32_t number) const;
  void begin_work(unsigned engine, std::uint32_t id, std::uint32_t command);
  void end_work(unsigned unit, std::uint32_t id);
  /// The unit's hardware orders `engine` after the work of `before` in that epoch.
  void hold_back(unsigned engine, unsigned before, Epoch epoch);
  /// The warp has read that the unit is idle, and is ordered after the work of commands that come before the read. A
  /// bit of 0 says nothing about other commands.
  void see_idle(unsigned warp, unsigned unit);

 private:
  struct Warp {
    explicit Warp(unsigned agents)
        : seen(agents), published(agents), left(agents), left_in_front(agents), fenced(agents) {}
    Knowledge seen;  // knowledge that orders its accesses
    Knowledge published;  // knowledge passed to others
    Knowledge left;  // knowledge passed to warps of its core that observe its end
    Clock left_in_front;
    Clock fenced;  // accesses before its last fence
    std::uint64_t loading = 0;
    std::uint32_t fragments = 0;  // fragments being loaded
    bool loads() const { return loading != 0 || fragments != 0; }
    Epoch loading_since = 0;
    /// published.done at each fence or release, by the first epoch to which it applies
    std::deque<std::pair<Epoch, Clock>> history;
  };
  struct EngineState {
    Knowledge seen;
    std::vector<std::pair<std::uint32_t, Epoch>> open;  // work in progress: id, epoch
    Epoch unknown = 0;  // epoch of the last work for a command of unknown origin
  };
  struct Phase {
    Knowledge gathered;
    std::map<unsigned, Clock> in_front;  // by core of the cluster: knowledge of publish_to_released()
    unsigned released = 0;  // cores
  };
  struct Barrier {
    std::map<std::uint64_t, Phase> phases;  // by number
    std::vector<std::uint64_t> phase_of_core;
    std::vector<std::vector<unsigned>> waiting;  // warps, by core in its cluster
  };

  void remember(unsigned warp);
  Knowledge publish_to_released(unsigned warp);
  Clock in_front(unsigned warp) const;
  Barrier& barrier(unsigned core, unsigned id);
  EngineState& engine(unsigned agent) {
    return engines_[agent - (agents_.count() - kEngines * agents_.units())];
  }
  const EngineState& engine(unsigned agent) const {
    return engines_[agent - (agents_.count() - kEngines * agents_.units())];
  }

  const Agents agents_;
  const unsigned cores_of_cluster_;
  const bool barrier_waits_;
  std::vector<Epoch> now_, since_;  // by agent
  std::vector<Warp> warps_;
  std::vector<EngineState> engines_;
  std::vector<UnitCommands> units_;
  std::map<std::pair<unsigned, unsigned>, Barrier> barriers_;  // by cluster and id
};

}  // namespace spica::check
