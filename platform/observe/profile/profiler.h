// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "models/protocol/payload/issue_reason.h"
#include "platform/machine/soc/run_observer.h"
#include "platform/observe/profile/call_stacks.h"

namespace spica::profile {

inline constexpr std::size_t kReasons = static_cast<std::size_t>(protocol::IssueReason::kCount);
using Cycles = std::array<std::uint64_t, kReasons>;

/// The events of an instruction, summed over all cores.
struct Counts {
  Cycles cycles{};                  // of issue slots, by reason
  std::uint64_t instructions = 0;   // issued
  std::uint64_t lanes = 0;          // active lanes of these
  std::uint64_t stack_accesses = 0;  // loads and stores relative to the stack pointer
  std::uint64_t shared_accesses = 0;
  std::uint64_t bank_degree = 0;    // maximum of lanes on one word bank, summed over accesses
  std::uint64_t unaligned_lanes = 0;
  std::uint64_t global_accesses = 0;
  std::uint64_t global_requests = 0;  // resulting requests: lines and single lanes
  std::uint64_t global_lanes = 0;

  std::uint64_t all_cycles() const;
  void add(const Counts& other);
};

/// Observes a run and charges every cycle of every issue slot to an instruction and its chain of calls.
class Profiler final : public protocol::ProbeIf, public soc::RunObserver {
 public:
  /// The pc of cycles in which no warp runs.
  static constexpr std::uint32_t kNoPc = ~std::uint32_t{0};

  Profiler(unsigned cores, unsigned warps);

  // -- after the run
  /// By pc, with kNoPc last.
  const std::map<std::uint32_t, Counts>& instructions() const { return instructions_; }
  /// Cycles by (call node, pc).
  const std::map<std::pair<std::uint32_t, std::uint32_t>, Cycles>& stacks() const { return stacks_; }
  const CallTree& calls() const { return calls_; }
  /// Sum over all instructions.
  Cycles total() const;
  unsigned cores() const { return static_cast<unsigned>(slots_.size()); }
  base::Cycle cycles() const { return end_; }

  // soc::RunObserver
  base::Cycle next_edge() const override { return base::kNever; }
  void at_edge(base::Cycle) override {}
  void end(base::Cycle cycle) override;

  // protocol::ProbeIf
  void on_issue(const protocol::InstructionEvent& event) override;
  void on_warp_start(base::Cycle, const protocol::Origin&, unsigned core, unsigned warp,
                     std::uint32_t) override;
  void on_warp_end(base::Cycle, const protocol::Origin& origin) override;
  void on_issue_slot(base::Cycle cycle, unsigned core, const protocol::Origin& origin,
                     unsigned reason) override;
  void on_shared_access(base::Cycle, unsigned, const protocol::Origin& origin, unsigned degree,
                        unsigned unaligned) override;
  void on_global_request(base::Cycle, unsigned, const protocol::Origin& origin, bool first) override;

 private:
  struct Slot {
    base::Cycle since = 0;
    Cycles* charged;  // the counter of its current cycles
    unsigned reason;
  };
  /// Counts per pc during the run; `stacks` by node.
  struct Place {
    Counts counts;
    std::vector<std::pair<std::uint32_t, Cycles*>> stacks;
  };
  CallStack& stack_of(unsigned core, unsigned warp) { return warps_[core * warps_per_core_ + warp]; }
  Cycles& stack_cycles(std::uint32_t node, std::uint32_t pc);

  const unsigned warps_per_core_;
  CallTree calls_;
  std::vector<CallStack> warps_;
  std::vector<Slot> slots_;
  std::unordered_map<std::uint32_t, Place> places_;  // must be sorted before output
  std::map<std::uint32_t, Counts> instructions_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Cycles> stacks_;
  base::Cycle end_ = 0;
};

}  // namespace spica::profile
