// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "models/isa/control_flow.h"

namespace spica::isa {

/// Active mask and SIMT stack of one warp: tmc, pred, split, join (vortex core/VX_wctl_unit.sv,
/// core/VX_split_join.sv).
class SimtStack final : public ControlFlow {
 public:
  /// `depth`: entries of the stack (7 in the RTL). `lanes`: 1..32; higher bits of masks are ignored.
  SimtStack(unsigned depth, unsigned lanes) : ControlFlow(lanes), depth_(depth) { stack_.reserve(depth); }
  static std::unique_ptr<ControlFlow> make(unsigned depth, unsigned lanes) {
    return std::make_unique<SimtStack>(depth, lanes);
  }

  SplitResult split(std::uint32_t condition, std::uint32_t next_pc) override {
    const std::uint32_t then_lanes = mask() & condition;
    const std::uint32_t else_lanes = mask() & ~condition;
    if (then_lanes == 0 || else_lanes == 0) return {};
    if (stack_.size() == depth_) return {true, true};
    stack_.push_back({mask(), else_lanes, next_pc, false});
    set_mask(then_lanes);
    return {true, false};
  }

  JoinResult join(bool diverged) override {
    if (!diverged) return {};
    if (stack_.empty()) return {false, true, 0};
    Entry& top = stack_.back();
    if (!top.in_else) {
      top.in_else = true;
      set_mask(top.else_lanes);
      return {true, false, top.pc};
    }
    set_mask(top.original);
    stack_.pop_back();
    return {};
  }

  void clear() override { stack_.clear(); }
  std::vector<Entry> open() const override { return stack_; }
  std::vector<std::uint32_t> state() const override {
    std::vector<std::uint32_t> words;
    for (const Entry& entry : stack_)
      for (const std::uint32_t word :
           {entry.original, entry.else_lanes, entry.pc, std::uint32_t{entry.in_else}})
        words.push_back(word);
    return words;
  }
  void restore(const std::vector<std::uint32_t>& words) override {
    stack_.clear();
    for (std::size_t i = 0; i + 3 < words.size(); i += 4)
      stack_.push_back({words[i], words[i + 1], words[i + 2], words[i + 3] != 0});
  }
  unsigned depth() const override { return static_cast<unsigned>(stack_.size()); }

 private:
  unsigned depth_;
  std::vector<Entry> stack_;
};

}  // namespace spica::isa
