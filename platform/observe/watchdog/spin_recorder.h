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
#include "models/protocol/probe_if.h"

namespace spica::watchdog {

/// What a spinning warp reads again and again, waiting for another value.
struct Poll {
  enum class What : std::uint8_t { kLoad, kAtomic, kCsr };
  What what = What::kLoad;
  std::uint32_t pc = 0;       // of the instruction that reads
  std::uint8_t row = 0;       // register that gets the value
  std::uint32_t address = 0;  // of the scalar lane; CSR: its number
  std::uint32_t value = 0;    // read last, scalar lane
  std::uint32_t lanes = 0;    // that read last
  /// Lanes of the warp that wait at a split of the loop while the others read, and the pc of that split.
  std::uint32_t waiting = 0, split_pc = 0;
  std::array<std::uint32_t, isa::kMaxLanes> addresses{};  // by lane; not of a CSR
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
  std::optional<std::uint32_t> address;  // it is loaded from there
};

/// A loop in which a warp has been for the whole window, through the same code, with other values.
struct Loop {
  std::uint32_t branch_pc = 0;  // the decision that keeps it there
  std::uint64_t iterations = 0;  // in the window
  std::uint32_t lanes = 0;  // in the loop
  std::uint32_t waiting = 0, split_pc = 0;  // see Poll
  std::vector<LoopValue> values;  // of the highest lane in the loop
  bool ends_when_equal = false;  // one value reaches the other, or 0

  /// Iterations until the values are equal; nothing: never, or what ends it is another condition.
  std::optional<std::uint32_t> left() const;
  bool never_ends() const { return ends_when_equal && !left(); }
};

/// What one warp did in the window that was watched.
struct WarpActivity {
  enum class State : std::uint8_t {
    kSilent,    // issued nothing
    kWorking,   // new code, or values that decide where it goes and were not there before
    kSpinning,  // the same code with the same decisions
  };
  State state = State::kSilent;
  std::uint32_t first_pc = 0, last_pc = 0;  // spinning: the code it goes through
  std::uint32_t branch_pc = 0;              // spinning: the decision that keeps it there
  std::vector<Poll> polls;                  // spinning: what that decision depends on; may be empty
  std::optional<std::uint32_t> trap_pc;  // spinning: it takes the same traps all the time, one of them here
  std::vector<std::uint32_t> splits;  // spinning: pcs of the splits it goes through, ascending
  std::optional<Loop> loop;  // working

  /// It waits until other warps of its core have ended.
  bool waits_for_warps() const;
};

/// Distinguishes warps that work from warps that only spin, from the instructions of a short stretch of the run.
///
/// A warp spins when, in the second half of the window, it executes no instruction that it did not execute in
/// the first half, and when nothing that its branches, jumps and warp control depend on takes a value there
/// that it did not have in the first half. What counts is what a decision depends on, found backwards through
/// the registers: a poll loop that also counts its turns spins, a loop that ends when a counter has arrived
/// does not, and a delay loop inside a poll loop only repeats its values.
class SpinRecorder final : public protocol::ProbeIf {
 public:
  /// `warps`: of each core; `splits_part`: lanes diverge by split and join, and not at any branch.
  SpinRecorder(unsigned cores, unsigned warps, bool splits_part = true);

  /// The first half of the window is over.
  void half() { second_half_ = true; }
  /// Numbered core * warps + warp.
  std::vector<WarpActivity> result() const;
  /// A unit got a command, or began or ended a piece of work: the machine is not stuck.
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
  /// One instruction of one warp, however often it was executed.
  struct Node {
    isa::Instruction instruction;
    std::unordered_set<std::uint64_t> values;  // of the first half, what it computed or decided on
    bool fresh = false;  // a value of the second half is not among them
    bool repeated = false;  // executed in the second half
    std::vector<std::pair<std::uint8_t, std::uint32_t>> producers;  // register and pc of who wrote it
    std::uint32_t address = 0, value = 0;  // reads: see Poll; value: of any other, too
    std::uint32_t lanes = 0, waiting = 0, split_pc = 0;
    std::array<std::uint32_t, isa::kMaxLanes> addresses{};
    // For loops.
    std::uint64_t executions = 0, results = 0;
    std::uint32_t step = 0;  // between the last two results
    bool steady = false;  // all steps are the same
    std::uint8_t outcomes = 0;  // of a decision: bit 0, it was false; bit 1, it was true
    std::array<std::pair<std::uint8_t, std::uint32_t>, 2>
        operands{};  // rows that it reads, values of the last time
  };
  /// A split at which the lanes diverged while the warp was watched.
  struct Split {
    std::uint32_t pc, lanes, others;  // all that came to it; those that take the second side
    bool second_side;
  };
  struct Warp {
    std::map<std::uint32_t, Node> nodes;  // by pc
    std::vector<Split> splits;  // open ones, outermost first
    std::array<std::optional<std::uint32_t>, isa::kRegisterRows> writer;  // pc, by row
    std::unordered_set<std::uint32_t> traps;  // their pcs
    std::optional<std::uint32_t> trap_pc;  // of the last one in the second half
    bool new_code = false;  // in the second half
  };

  static void follow_splits(Warp& warp, const protocol::InstructionEvent& event);
  Warp& warp_of(const protocol::Origin& origin) {
    return warps_[origin.core * warps_per_core_ + origin.warp];
  }
  void add_value(Node& node, std::uint64_t value);
  void note_execution(Warp& warp, Node& node, const protocol::InstructionEvent& event);
  static void note_result(Node& node, std::uint32_t value);
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
