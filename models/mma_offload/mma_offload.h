// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <systemc>

#include "models/base/component.h"
#include "models/isa/mma_form.h"
#include "models/mma_offload/lane_stream.h"
#include "models/mma_offload/offload_rule.h"
#include "models/protocol/ports/warp_mma_if.h"

namespace spica::mma_offload {

struct MmaOffloadStats final : base::StatGroup {
  using Unit = base::Unit;
  base::Counter mma_on_tensor{*this, "mma_on_tensor", Unit::kInstructions, "operations on the tensor core"};
  base::Counter mma_on_lanes{*this, "mma_on_lanes", Unit::kInstructions,
                             "operations on the floating-point lanes"};
  base::Counter macs{*this, "macs", Unit::kInstructions, "multiply-add instructions of offloaded operations"};
  base::Counter mac_lanes{*this, "mac_lanes", Unit::kCount, "lane operations of offloaded multiply-adds"};
  base::Counter lanes_busy{*this, "lanes_busy", Unit::kInstructions,
                           "operations sent to the tensor core because the lanes were busy"};
  base::Counter fpu_occupied{
      *this, "fpu_occupied", Unit::kCycles,
      "cycles with an instruction in the floating-point lanes, of the core or of this unit"};
  base::Counter fpu_online{*this, "fpu_online", Unit::kCycles,
                           "cycles from the first instruction in the lanes to the end of the last one"};
};

/// Placed between a core and its tensor core with fragments in registers: turns every n-th operation into multiply-add
/// instructions for the floating-point lanes. Transparent to both: each sees the interface of the other.
///
/// Timing   an operation on the lanes starts operand_cycles after its C is ready, and takes mac_interval cycles per
///          instruction; D is ready mac_latency after the start of the last one; A and B are read until then, or at its
///          issue (operands_at_issue). The operation takes one issue slot of the warp, which continues meanwhile
/// Values   those of the tensor core, so timing never changes a result
/// Source   ho section II.B
class MmaOffload final : public base::Component, public protocol::WarpMmaIf {
 public:
  MmaOffload(const sc_core::sc_module_name& name, const OffloadParams& params,
             const base::ClockDomain& clock);

  sc_core::sc_export<protocol::WarpMmaIf> in{"in"};  // to the core
  sc_core::sc_port<protocol::WarpMmaIf> out{"out"};  // to the tensor core
  sc_core::sc_export<protocol::LaneStreamIf> lanes{"lanes"};  // to the core

  // protocol::WarpMmaIf
  bool has(unsigned form) const override { return out->has(form); }
  bool multiplies(unsigned form) const override { return out->multiplies(form); }
  const protocol::FragmentAccess& access(unsigned form, protocol::FragmentMatrix matrix,
                                         bool column_major) const override {
    return out->access(form, matrix, column_major);
  }
  void multiply(unsigned form, const std::uint32_t* a, const std::uint32_t* b, const std::uint32_t* c,
                std::uint32_t* d) override {
    out->multiply(form, a, b, c, d);
  }
  void begin(const Operation& operation, base::Cycle now) override;
  base::Cycle ready(unsigned warp) const override;
  Step issue(unsigned warp, base::Cycle now) override;

  void tick() override {}
  void reset() override;
  bool idle() const override { return last_ <= now(); }
  void catch_up() override;
  void settle_stats() override {
    catch_up();
    Component::settle_stats();
  }
  MmaOffloadStats& stats() override { return stats_; }
  const base::BlockType& type() const override { return block_type(); }
  static const base::BlockType& block_type();
  base::AreaTerms area() const override;
  void dump_state(std::ostream& out) const override;
  bool timing(base::Checkpoint& checkpoint) override;
  std::uint64_t work_done() const override { return stats_.macs.value(); }
  bool works() const override { return !idle(); }

 private:
  struct Warp {
    bool on_lanes = false;  // the operation of the warp is on the lanes
    unsigned instructions = 0;
    unsigned c = 0, d = 0;
    base::Cycle begin = 0;  // of its first instruction in the lanes
    /// When the computation of a fragment is complete: by the lanes, and by either unit.
    std::array<base::Cycle, isa::kFragmentSlots> by_lanes{}, by_any{};
  };

  const OffloadParams params_;
  OffloadRule rule_;
  LaneStream stream_;
  std::array<Warp, 32> warps_{};
  base::Cycle first_ = base::kNever, last_ = 0;  // first and last of the unit's instructions in the lanes
  std::uint64_t held_ = 0;  // cycles with one of these
  MmaOffloadStats stats_;
};

}  // namespace spica::mma_offload
