// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "models/isa/control_flow.h"

namespace spica::isa {

/// Control flow without explicit instructions: lanes may disagree at any branch. Of the diverged groups, the one with
/// the smallest pc executes; lanes at the same pc execute together. join and pred do nothing. split separates its two
/// sides for one instruction, which reads the mask of its side or is the branch that diverges them.
///
/// Meeting   lanes before a barrier, wspawn or a tensor instruction wait until the others have arrived. So do lanes
///           before a tmc whose mask has lanes that wait elsewhere. With any other mask, tmc waits until no other lanes
///           can run or its turn comes, and then changes its own group only
/// Fairness  a group that has waited for kPatience instructions of others gets a turn of as many, whatever its pc; the
///           group that has waited longest is first. So lanes that wait for a lock yield to the lane that holds it,
///           even if that lane needs a second lock
/// Source    an option of this model, not of the published machine. The rule is that of Collange, "Stack-less SIMT
///           reconvergence at low cost", 2011; turns by timeout in the order of waiting are those of ElTantawy and
///           Aamodt, "MIMD synchronization on SIMT architectures", MICRO 2016
class MinPc final : public ControlFlow {
 public:
  static constexpr std::uint32_t kPatience = 2000;

  explicit MinPc(unsigned lanes) : ControlFlow(lanes) {}
  static std::unique_ptr<ControlFlow> make(unsigned, unsigned lanes) {
    return std::make_unique<MinPc>(lanes);
  }

  /// The lanes of each side execute the next instruction separately from all others.
  SplitResult split(std::uint32_t condition, std::uint32_t next_pc) override;
  JoinResult join(bool) override { return {}; }
  void pred(std::uint32_t, std::uint32_t) override {}
  bool ignores(Opcode opcode) const override { return opcode == Opcode::kJoin || opcode == Opcode::kPred; }

  bool parks() const override { return true; }
  void park(std::uint32_t lanes, std::uint32_t pc) override;
  std::uint32_t choose(std::uint32_t pc, Meeting meeting) override;

  std::vector<Entry> open() const override;
  std::vector<std::uint32_t> state() const override;
  void restore(const std::vector<std::uint32_t>& words) override;
  void clear() override;

 private:
  struct Group {
    std::uint32_t lanes = 0, pc = 0;
    std::uint32_t waited = 0;  // number of instructions of others
    Meeting meeting = Meeting::kNone;  // meeting of its next instruction, once it has reached it
    bool apart = false;  // separated by a split, and executes its next instruction alone
  };
  static bool precedes(const Group& a, const Group& b);
  void reconverge_at(std::uint32_t pc);
  void count_parked();

  std::vector<Group> groups_;  // the waiting groups
  // Number of instructions for which the active group has priority, because it has waited.
  std::uint32_t turn_ = 0;
  // The pc at which the active group executes separately; it has moved on when its pc differs. kNowhere: it is not
  // separate.
  static constexpr std::uint32_t kNowhere = 1;
  std::uint32_t apart_at_ = kNowhere;
};

}  // namespace spica::isa
