// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <unordered_set>
#include <utility>
#include <vector>

#include "models/isa/instruction.h"
#include "models/isa/registers.h"
#include "models/protocol/ports/probe_if.h"

namespace spica::watchdog {

/// A value that a spinning warp reads repeatedly, waiting for a change.
struct Poll {
  enum class What : std::uint8_t { kLoad, kAtomic, kCsr };
  What what = What::kLoad;
  std::uint32_t pc = 0;       // of the reading instruction
  std::uint8_t row = 0;       // destination register
  std::uint32_t address = 0;  // of the scalar lane; for a CSR its number
  std::uint32_t value = 0;    // last value read, scalar lane
  std::uint32_t lanes = 0;    // lanes that read it last
  /// Lanes of the warp that wait at a split of the loop while the others read, and the pc of that split.
  std::uint32_t waiting = 0, split_pc = 0;
  std::array<std::uint32_t, isa::kMaxLanes> addresses{};  // by lane; not for a CSR
};

/// A value that decides whether a loop continues.
struct LoopValue {
  enum class Kind : std::uint8_t {
    kConstant,
    kCounter,
    kOther
  };  // a counter changes by the same step each time
  Kind kind = Kind::kConstant;
  std::uint8_t row = 0;
  std::uint32_t value = 0, step = 0;
  std::optional<std::uint32_t> address;  // address it is loaded from
};

/// A loop in which a warp has stayed for the whole window: the same code with different values.
struct Loop {
  std::uint32_t branch_pc = 0;  // the branch that keeps it there
  std::uint64_t iterations = 0;  // within the window
  std::uint32_t lanes = 0;  // lanes in the loop
  std::uint32_t waiting = 0, split_pc = 0;  // see Poll
  std::vector<LoopValue> values;  // of the highest lane in the loop
  bool ends_when_equal = false;  // the loop ends when its two values are equal, or its single value is 0

  /// Iterations until the values are equal; empty: never, or the loop has another end condition.
  std::optional<std::uint32_t> left() const;
  bool never_ends() const { return ends_when_equal && !left(); }
};

/// The activity of one warp in the observed window.
struct WarpActivity {
  enum class State : std::uint8_t {
    kSilent,    // issued nothing
    kWorking,   // new code, or new values that decide control flow
    kSpinning,  // the same code with the same decisions
  };
  State state = State::kSilent;
  std::uint32_t first_pc = 0, last_pc = 0;  // spinning: range of its code
  std::uint32_t branch_pc = 0;              // spinning: the branch that keeps it there
  std::vector<Poll> polls;                  // spinning: inputs of that branch; may be empty
  std::optional<std::uint32_t> trap_pc;  // spinning: it takes the same traps repeatedly, one of them here
  std::vector<std::uint32_t> splits;  // spinning: pcs of the splits it executes, ascending
  std::optional<Loop> loop;  // working

  /// True if it waits until other warps of its core have ended.
  bool waits_for_warps() const;
};

/// Distinguishes working warps from spinning ones, by the instructions of a short part of the run.
///
/// A warp spins if, in the second half of the window, it executes no instruction that it did not execute in the first
/// half, and no input of its branches, jumps and warp control takes a new value. Inputs are found backwards through the
/// registers: a poll loop that also counts its iterations spins, a loop that ends when a counter reaches its limit does
/// not, and a delay loop inside a poll loop only repeats its values.
class SpinRecorder final : public protocol::ProbeIf {
 public:
  /// `warps`: of each core; `splits_part`: lanes diverge only by split and join, not at any branch.
  SpinRecorder(unsigned cores, unsigned warps, bool splits_part = true);

  /// The first half of the window is over.
  void half() { second_half_ = true; }
  /// Indexed by core * warps + warp.
  std::vector<WarpActivity> result() const;
  /// True if a unit got a command, or started or ended a piece of work: the machine is not stuck.
  bool units_moved() const { return units_moved_; }

  void on_issue(const protocol::InstructionEvent& event) override;
  void on_commit(base::Cycle, const protocol::Origin& origin, const isa::RegisterFile& registers) override;
  void on_trap(base::Cycle, const protocol::Origin& origin) override;
  void on_warp_start(base::Cycle, const protocol::Origin&, unsigned, unsigned, std::uint32_t) override {
    units_moved_ = true;
  }
  void on_warp_end(base::Cycle, const protocol::Origin&) override { units_moved_ = true; }
  void on_command(base::Cycle, unsigned, const protocol::Origin&, std::uint32_t) override {
    units_moved_ = true;
  }
  void on_work_begin(base::Cycle, unsigned, const protocol::UnitWork&) override { units_moved_ = true; }
  void on_work_end(base::Cycle, unsigned, std::uint32_t) override { units_moved_ = true; }

 private:
  /// One instruction of one warp, for all its executions.
  struct Node {
    isa::Instruction instruction;
    std::unordered_set<std::uint64_t> values;  // results or decisions of the first half
    bool fresh = false;  // the second half has a value that is not among them
    bool repeated = false;  // executed in the second half
    std::vector<std::pair<std::uint8_t, std::uint32_t>> producers;  // register, and pc of its producer
    std::uint32_t address = 0, value = 0;  // reads: see Poll; others: value only
    std::uint32_t lanes = 0, waiting = 0, split_pc = 0;
    std::array<std::uint32_t, isa::kMaxLanes> addresses{};
    // For loops.
    std::uint64_t executions = 0, results = 0;
    std::uint32_t step = 0;  // difference of the last two results
    bool steady = false;  // all steps are equal
    std::uint8_t outcomes = 0;  // of a decision: bit 0: it was false, bit 1: it was true
    std::array<std::pair<std::uint8_t, std::uint32_t>, 2>
        operands{};  // rows it reads, with their last values
  };
  /// A split at which the lanes diverged during the window.
  struct Split {
    std::uint32_t pc, lanes, others;  // all lanes that reached it; those that take the second side
    bool second_side;
  };
  struct Warp {
    std::map<std::uint32_t, Node> nodes;  // by pc
    std::vector<Split> splits;  // open splits, outermost first
    std::array<std::optional<std::uint32_t>, isa::kRegisterRows> writer;  // pc, by row
    std::unordered_set<std::uint32_t> traps;  // their pcs
    std::optional<std::uint32_t> trap_pc;  // of the last trap in the second half
    bool new_code = false;  // in the second half
  };

  static void follow_splits(Warp& warp, const protocol::InstructionEvent& event);
  Warp& warp_of(const protocol::Origin& origin) {
    return warps_[origin.core * warps_per_core_ + origin.warp];
  }
  void add_value(Node& node, std::uint64_t value);
  void record_execution(Warp& warp, Node& node, const protocol::InstructionEvent& event);
  static void record_result(Node& node, std::uint32_t value);
  struct LoopSearch;
  static std::optional<Loop> loop_of(const Warp& warp);
  static WarpActivity judge(const Warp& warp);
  static bool depends_on_fresh(const Warp& warp, std::uint32_t pc);
  static std::vector<Poll> polls_of(const Warp& warp, std::uint32_t pc);

  unsigned warps_per_core_;
  bool splits_part_;
  std::vector<Warp> warps_;
  bool second_half_ = false;
  bool units_moved_ = false;
};

}  // namespace spica::watchdog
