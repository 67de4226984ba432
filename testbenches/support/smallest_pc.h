// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "models/isa/control_flow.h"

namespace spica::testbench {

/// The simplest control flow without instructions of its own: of the lanes that have parted at a branch, those with the
/// smallest pc go on; lanes that come to the same pc go on together. Proof that a warp's control flow is a policy.
class SmallestPc final : public isa::ControlFlow {
 public:
  explicit SmallestPc(unsigned lanes) : ControlFlow(lanes) {}
  static std::unique_ptr<isa::ControlFlow> make(unsigned, unsigned lanes) {
    return std::make_unique<SmallestPc>(lanes);
  }

  isa::SplitResult split(std::uint32_t, std::uint32_t) override { return {}; }
  isa::JoinResult join(bool) override { return {}; }

  bool parks() const override { return true; }
  void park(std::uint32_t lanes, std::uint32_t pc) override {
    groups_.push_back({lanes, pc});
    set_mask(mask() & ~lanes);
    parked_ = true;
  }
  std::uint32_t choose(std::uint32_t pc) override {
    groups_.push_back({mask(), pc});
    for (const Group& group : groups_) pc = std::min(pc, group.pc);
    std::uint32_t active = 0;
    std::vector<Group> others;
    for (const Group& group : groups_) {
      if (group.pc == pc) active |= group.lanes;
      else others.push_back(group);
    }
    set_mask(active);
    groups_ = others;
    parked_ = !groups_.empty();
    return pc;
  }

  std::vector<Entry> open() const override {
    std::vector<Entry> entries;
    for (const Group& group : groups_)
      entries.push_back({mask() | group.lanes, group.lanes, group.pc, false});
    return entries;
  }
  void clear() override {
    groups_.clear();
    parked_ = false;
  }

 private:
  struct Group {
    std::uint32_t lanes, pc;
  };
  std::vector<Group> groups_;
};

}  // namespace spica::testbench
