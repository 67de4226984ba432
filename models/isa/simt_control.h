// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace spica::isa {

/// The lane whose scalar operands (masks, counts, addresses of code, branch conditions) a warp
/// follows: the highest-numbered active one (vortex core/VX_dispatch.sv). `mask` must not be 0.
inline unsigned scalar_lane(std::uint32_t mask) { return 31u - static_cast<unsigned>(__builtin_clz(mask)); }

struct SplitResult {
  bool diverged = false;  // both sides have lanes; the value of rd
  bool overflow = false;  // the stack was full: nothing was changed
};

struct JoinResult {
  bool jumps = false;      // the else lanes continue at `pc`; otherwise fall through
  bool underflow = false;  // no split is open: nothing was changed
  std::uint32_t pc = 0;
};

/// Active mask and SIMT stack of one warp: tmc, pred, split, join (vortex core/VX_wctl_unit.sv,
/// core/VX_split_join.sv).
class SimtState {
 public:
  /// `depth`: entries of the stack (7 in the RTL); `lanes`: 1..32, masks keep only that many bits.
  SimtState(unsigned depth, unsigned lanes) : depth_(depth), lanes_(lanes >= 32 ? ~0u : (1u << lanes) - 1) {
    stack_.reserve(depth);
  }

  /// Active lanes; 0: the warp is inactive.
  std::uint32_t mask() const { return mask_; }
  /// Open divergent splits.
  unsigned depth() const { return static_cast<unsigned>(stack_.size()); }

  /// mask := value
  void tmc(std::uint32_t value) { mask_ = value & lanes_; }

  /// Keeps the active lanes in `condition`; when there are none, mask := otherwise.
  void pred(std::uint32_t condition, std::uint32_t otherwise) {
    const std::uint32_t kept = mask_ & condition;
    mask_ = kept != 0 ? kept : otherwise & lanes_;
  }

  /// `condition`: lanes whose rs1 has bit 0 set; `next_pc`: the instruction after the split, which
  /// the else lanes execute again. Without divergence nothing changes.
  SplitResult split(std::uint32_t condition, std::uint32_t next_pc) {
    const std::uint32_t then_lanes = mask_ & condition;
    const std::uint32_t else_lanes = mask_ & ~condition;
    if (then_lanes == 0 || else_lanes == 0) return {};
    if (stack_.size() == depth_) return {true, true};
    stack_.push_back({mask_, else_lanes, next_pc, false});
    mask_ = then_lanes;
    return {true, false};
  }

  /// `diverged`: bit 0 of rs1, the result of the matching split; when it is 0 nothing happens.
  JoinResult join(bool diverged) {
    if (!diverged) return {};
    if (stack_.empty()) return {false, true, 0};
    Entry& top = stack_.back();
    if (!top.in_else) {
      top.in_else = true;
      mask_ = top.else_lanes;
      return {true, false, top.pc};
    }
    mask_ = top.original;
    stack_.pop_back();
    return {};
  }

  /// Forgets all open splits; the mask stays.
  void clear_stack() { stack_.clear(); }
  /// No active lane, no open split.
  void reset() {
    mask_ = 0;
    stack_.clear();
  }

  /// An open divergent split.
  struct Entry {
    std::uint32_t original, else_lanes;  // lanes at the split; those that take the else side
    std::uint32_t pc;                    // where the else side starts
    bool in_else;
  };
  /// Open splits, outermost first; for debuggers.
  const std::vector<Entry>& stack() const { return stack_; }

 private:
  unsigned depth_;
  std::uint32_t lanes_;
  std::uint32_t mask_ = 0;
  std::vector<Entry> stack_;
};

}  // namespace spica::isa
