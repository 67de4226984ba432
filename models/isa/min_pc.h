// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "models/isa/control_flow.h"

namespace spica::isa {

/// Control flow without instructions of its own: lanes may disagree at any branch. Of the groups that have parted, the
/// one with the smallest pc goes on; lanes that come to the same pc go on together. split and join do nothing.
///
/// Waiting   lanes before an instruction that is for all of them wait until the others have come there, too
/// Fairness  a group that has waited for kPatience instructions of others goes on, whatever its pc, for as many: lanes
///           that wait for a lock let the lane that holds it release it
/// Source    an option of this model, not of the published machine; the rule is that of Collange, "Stack-less SIMT
///           reconvergence at low cost", 2011
class MinPc final : public ControlFlow {
 public:
  static constexpr std::uint32_t kPatience = 2000;

  explicit MinPc(unsigned lanes) : ControlFlow(lanes) {}
  static std::unique_ptr<ControlFlow> make(unsigned, unsigned lanes) {
    return std::make_unique<MinPc>(lanes);
  }

  SplitResult split(std::uint32_t, std::uint32_t) override { return {}; }
  JoinResult join(bool) override { return {}; }

  bool parks() const override { return true; }
  void park(std::uint32_t lanes, std::uint32_t pc) override;
  std::uint32_t choose(std::uint32_t pc) override;
  bool wait_for_others() override;

  std::vector<Entry> open() const override;
  std::vector<std::uint32_t> state() const override;
  void restore(const std::vector<std::uint32_t>& words) override;
  void clear() override;

 private:
  struct Group {
    std::uint32_t lanes = 0, pc = 0;
    std::uint32_t waited = 0;  // instructions of others
    bool for_all = false;  // it goes on when the others have come
  };
  bool for_all_ = false;  // the active group waits like that
  std::vector<Group> groups_;  // that wait
  std::uint32_t turn_ =
      0;  // instructions that the active group has ahead of all others, because it has waited
};

}  // namespace spica::isa
