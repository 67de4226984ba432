// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "platform/observe/watchdog/hang_facts.h"

namespace spica::watchdog {

/// A barrier with waiting warps, as seen by one core.
struct BarrierAtCore {
  unsigned core = 0;
  std::vector<const WarpFact*> waiting;
  std::vector<unsigned> counts;          // the different counts of the waiting warps, ascending
  std::vector<const WarpFact*> elsewhere;  // running warps of the core that are not at the barrier
  std::vector<const WarpFact*> ended;      // warps of the core that have ended

  unsigned count() const { return counts.empty() ? 0 : counts.back(); }
  bool complete() const { return !waiting.empty() && waiting.size() == count(); }
  unsigned missing() const {
    return waiting.empty()            ? 0
           : count() > waiting.size() ? count() - static_cast<unsigned>(waiting.size())
                                      : 0;
  }
};

/// One barrier of one cluster: every core of the cluster must complete it.
struct Barrier {
  unsigned cluster = 0, id = 0;
  std::vector<BarrierAtCore> cores;  // all cores of the cluster
};

/// The waits-for relations: warps for barriers, barriers for warps, warps for polled values.
class WaitGraph {
 public:
  explicit WaitGraph(const HangFacts& facts);

  const HangFacts& facts() const { return facts_; }
  const std::vector<Barrier>& barriers() const { return barriers_; }  // by cluster and id
  const std::vector<const WarpFact*>& spinning() const { return spinning_; }
  const std::vector<const WarpFact*>& running() const { return running_; }

 private:
  const HangFacts& facts_;
  std::vector<Barrier> barriers_;
  std::vector<const WarpFact*> spinning_, running_;
};

enum class HangKind : std::uint8_t {
  kDeadlock,       // warps wait for each other, or for an ended one
  kLiveLock,       // warps spin
  kConfiguration,  // the program needs something that this machine does not have
  kMachine,        // no warp is the cause: blocks wait for each other
};

/// The cause of a hang: the end of the wait chains.
struct HangCause {
  HangKind kind = HangKind::kMachine;
  std::string sentence;  // the cause, with warps and places
  std::string advice;    // advice; may be empty
};

HangCause find_cause(const WaitGraph& graph, const Names& names);

/// "flag (0x80001234), always 0x0"; with the register if source lines are unknown.
std::string poll_text(const Poll& poll, const HangFacts& facts, const Names& names);

}  // namespace spica::watchdog
