// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "platform/observe/watchdog/hang_facts.h"

namespace spica::watchdog {

/// A barrier at which warps wait, as one core sees it.
struct BarrierAtCore {
  unsigned core = 0;
  std::vector<const WarpFact*> waiting;
  std::vector<unsigned> counts;          // different counts the waiting warps gave, ascending
  std::vector<const WarpFact*> elsewhere;  // running warps of the core that are not there
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

/// What each waits for: warps for barriers, barriers for warps, warps for what they poll.
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
  kDeadlock,       // warps wait for each other, or for one that has ended
  kLiveLock,       // warps spin
  kConfiguration,  // the program asks for what this machine does not have
  kMachine,        // no warp is to blame: blocks wait for each other
};

/// The end of all chains of waiting.
struct HangCause {
  HangKind kind = HangKind::kMachine;
  std::string sentence;  // what, who and where
  std::string advice;    // what would help; may be empty
};

HangCause find_cause(const WaitGraph& graph, const Names& names);

/// "flag (0x80001234), always 0x0"; with the register where source lines are not known.
std::string poll_text(const Poll& poll, const HangFacts& facts, const Names& names);

}  // namespace spica::watchdog
