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

/// Which agent is ordered after which: vector clocks, advanced by what synchronises. The rules and why they hold are in
/// docs/checks.md. Knows no addresses and no instructions.
///
/// An access that agent A makes in epoch e happens before what agent B does now when B's clock has reached e.
class Order {
 public:
  /// `cores_of_cluster`: cores that share barriers. `barrier_waits`: the machine's barriers, wspawn and ends of warps
  /// wait for the memory accesses of their warp.
  Order(const Agents& agents, unsigned cores_of_cluster, bool barrier_waits);

  const Agents& agents() const { return agents_; }
  /// The epoch of what the agent does now.
  Epoch now(unsigned agent) const { return now_[agent]; }
  /// What orders accesses of this agent after others: a warp's own, those of a unit's engine.
  const Clock& clock(unsigned agent) const;
  /// The same as far as another fence would help: for advice.
  const Clock& issued(unsigned agent) const;
  /// What this machine orders in addition, because its barriers wait.
  const Clock& waited(unsigned agent) const;
  bool barrier_waits() const { return barrier_waits_; }
  /// Whether stores of the warp in this epoch are complete for all of its lanes: a fence, or a barrier that waits.
  bool complete(unsigned warp, Epoch epoch) const {
    const Knowledge& known = warps_[warp].published;
    return std::max(known.done.of(warp, Access::kWrite), known.waited.of(warp, Access::kWrite)) >= epoch;
  }

  // -- warps
  /// A load that writes these register rows is under way; it is complete when an instruction names them.
  void load(unsigned warp, std::uint64_t rows) {
    Warp& w = warps_[warp];
    if (!w.loads()) w.loading_since = now_[warp];
    w.loading |= rows;
  }
  void use(unsigned warp, std::uint64_t rows) {
    Warp& w = warps_[warp];
    if ((w.loading & rows) == 0) return;
    w.loading &= ~rows;
    if (!w.loads()) ++now_[warp];  // so that loads from here on differ from those that are complete
  }
  /// The same for fragments, a bit each.
  void load_fragment(unsigned warp, std::uint32_t fragments) {
    Warp& w = warps_[warp];
    if (!w.loads()) w.loading_since = now_[warp];
    w.fragments |= fragments;
  }
  void use_fragments(unsigned warp, std::uint32_t fragments) { warps_[warp].fragments &= ~fragments; }
  /// Loads whose values are not used yet.
  std::uint64_t loading(unsigned warp) const { return warps_[warp].loading; }
  void fence(unsigned warp);
  /// An instruction that waits for all others of its warp: CSR accesses.
  void drain(unsigned warp);
  void spawn(unsigned parent, unsigned child);
  void end(unsigned warp);
  /// `warp` has seen that `ended`, of its core, has ended.
  void see_end(unsigned warp, unsigned ended);

  /// The warp, or the engine, is given to another kernel: what it knew says nothing about the order of what it does
  /// from now on, which is in the epochs from since() on. So are what copies for the warp and the reads of its tensor
  /// core.
  void begin_anew(unsigned agent);
  /// The first epoch of the kernel that the agent works for now.
  Epoch since(unsigned agent) const { return since_[agent]; }
  /// What the agent knows: a warp, an operation done for it, or an engine.
  const Knowledge& seen(unsigned agent) const;
  /// What an ended warp left.
  const Knowledge& left(unsigned warp) const { return warps_[warp].left; }

  void arrive(unsigned warp, unsigned barrier);
  void release(unsigned core, unsigned barrier);
  /// The barrier of a cluster passes to others; no warp waits there.
  void restart_barrier(unsigned cluster, unsigned barrier) { barriers_.erase({cluster, barrier}); }

  /// What others learn that synchronise with the warp now.
  const Knowledge& publish(unsigned warp);
  /// The warp synchronises with an agent that published that.
  void acquire(unsigned warp, const Knowledge& from);
  /// It does so by the value of a word in memory, stored after a fence: what the fence waited for is complete.
  void acquire_value(unsigned warp, const Knowledge& from);
  /// What a store that the warp made in this epoch published.
  Knowledge published_at(unsigned warp, Epoch epoch) const;

  // -- operand reads of a tensor core
  /// A product of the warp begins; its reads happen in the epoch that follows.
  void tensor_begin(unsigned warp);
  void tensor_wait(unsigned warp);

  // -- asynchronous copies; those of a group are an epoch
  void copies_commit(unsigned warp) { ++now_[agents_.copies(warp)]; }
  /// All groups of the warp but the last `most` have landed.
  void copies_wait(unsigned warp, unsigned most);

  // -- units
  /// The warp gives the unit command number `command`, with what it had published when it issued it.
  void command(unsigned unit, std::uint32_t number, unsigned warp, const Knowledge& published);
  /// Whether the warp's accesses now come after the command: it gave it, or has synchronised with the one that did.
  bool behind_command(unsigned warp, unsigned unit, std::uint32_t number) const;
  void begin_work(unsigned engine, std::uint32_t id, std::uint32_t command);
  void end_work(unsigned unit, std::uint32_t id);
  /// The unit's hardware keeps `engine` after what `before` did in that epoch.
  void hold_back(unsigned engine, unsigned before, Epoch epoch);
  /// The warp has read that the unit is idle. The warp learns of the work for commands that come before the read. A bit
  /// of 0 says nothing about the others.
  void see_idle(unsigned warp, unsigned unit);

 private:
  struct Warp {
    explicit Warp(unsigned agents)
        : seen(agents), published(agents), left(agents), left_in_front(agents), fenced(agents) {}
    Knowledge seen;  // orders what it does
    Knowledge published;  // what others learn from it
    Knowledge left;  // what those of its core learn that see that it has ended
    Clock left_in_front;
    Clock fenced;  // what its last fence waited for
    std::uint64_t loading = 0;
    std::uint32_t fragments = 0;  // being loaded
    bool loads() const { return loading != 0 || fragments != 0; }
    Epoch loading_since = 0;
    /// published.done as of a fence or a release, by the first epoch for which it counts
    std::deque<std::pair<Epoch, Clock>> history;
  };
  struct EngineState {
    Knowledge seen;
    std::vector<std::pair<std::uint32_t, Epoch>> open;  // work under way: id, epoch
    Epoch unknown = 0;  // of the last work for a command whose warp is unknown
  };
  struct Phase {
    Knowledge gathered;
    std::map<unsigned, Clock> in_front;  // by core of the cluster: of publish_to_released()
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
