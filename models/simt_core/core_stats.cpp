// SPDX-License-Identifier: Apache-2.0
#include "models/simt_core/core_stats.h"

namespace spica::simt_core {

namespace {

/// By isa::Unit: the counters of its instructions and of their lanes.
struct OfUnit {
  base::Counter CoreStats::* instructions;
  base::Counter CoreStats::* lanes;
};
constexpr std::array<OfUnit, static_cast<std::size_t>(isa::Unit::kCount)> kOfUnit{{
    {&CoreStats::alu, &CoreStats::alu_lanes},  // kAlu
    {&CoreStats::alu, &CoreStats::multiply_lanes},  // kMul
    {&CoreStats::alu, &CoreStats::divide_lanes},  // kDiv
    {&CoreStats::alu, &CoreStats::alu_lanes},  // kBranch
    {&CoreStats::load_store, &CoreStats::memory_lanes},  // kLoad
    {&CoreStats::load_store, &CoreStats::memory_lanes},  // kStore
    {&CoreStats::load_store, &CoreStats::memory_lanes},  // kAtomic
    {&CoreStats::load_store, &CoreStats::control_lanes},  // kFence
    {&CoreStats::fpu, &CoreStats::fma_lanes},  // kFpuFma
    {&CoreStats::fpu, &CoreStats::fpu_other_lanes},  // kFpuMisc
    {&CoreStats::fpu, &CoreStats::fpu_other_lanes},  // kFpuConvert
    {&CoreStats::fpu, &CoreStats::fpu_divide_lanes},  // kFpuDivide
    {&CoreStats::fpu, &CoreStats::fpu_divide_lanes},  // kFpuSqrt
    {&CoreStats::sfu, &CoreStats::control_lanes},  // kCsr
    {&CoreStats::sfu, &CoreStats::control_lanes},  // kWarpControl
    {&CoreStats::tensor, nullptr},  // kTensor: its lanes are not counted by kind
    {&CoreStats::load_store, &CoreStats::memory_lanes},  // kAsync
    {&CoreStats::sfu, &CoreStats::control_lanes},  // kSystem
}};

}  // namespace

void CoreStats::catch_up(base::Cycle now) {
  for (Dispatches& taken : dispatches_) {
    if (taken.cycle >= now) continue;
    dispatches += taken.count;
    taken.count = 0;
  }
  issues += micro_ops_;
  dispatches += micro_ops_;
  tensor_micro_ops += micro_ops_;
  register_reads += 3 * micro_ops_;
  register_writes += micro_ops_;
  micro_ops_ = 0;
  for (std::size_t unit = 0; unit < issued_.size(); ++unit) {
    Issued& issued = issued_[unit];
    if (issued.instructions == 0) continue;
    warp_instructions += issued.instructions;
    thread_instructions += issued.lanes;
    issues += issued.instructions;
    register_reads += issued.rows_read;
    register_writes += issued.rows_written;
    this->*kOfUnit[unit].instructions += issued.instructions;
    if (kOfUnit[unit].lanes != nullptr) this->*kOfUnit[unit].lanes += issued.lanes;
    switch (static_cast<isa::Unit>(unit)) {
      case isa::Unit::kLoad: lane_loads += issued.lanes; break;
      case isa::Unit::kAtomic:
      case isa::Unit::kStore:
        stores += issued.instructions;
        lane_stores += issued.lanes;
        break;
      case isa::Unit::kCsr: csr += issued.instructions; break;
      default: break;
    }
    issued = {};
  }
}

}  // namespace spica::simt_core
