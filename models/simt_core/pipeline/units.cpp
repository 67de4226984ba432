// SPDX-License-Identifier: Apache-2.0
#include "models/simt_core/pipeline/units.h"

namespace spica::simt_core {

Units::Units(const Params& params)
    : lanes_(static_cast<unsigned>(params.lanes)), sfu_lanes_(static_cast<unsigned>(params.sfu_lanes)) {
  const auto warps = static_cast<unsigned>(params.warps);
  const std::array<std::uint64_t, kKinds> counts{1, 1, params.alu_blocks, params.fpu_blocks};
  for (unsigned kind = 0; kind < kKinds; ++kind) {
    const auto first = static_cast<unsigned>(units_.size());
    for (unsigned w = 0; w < warps; ++w)
      units_of_[kind][w] = static_cast<std::uint8_t>(first + w % counts[kind]);
    for (unsigned i = 0; i < counts[kind]; ++i)
      units_.emplace_back(warps, static_cast<unsigned>(params.dispatch_depth));
  }
  for (std::size_t unit = 0; unit < timing_.size(); ++unit) {
    kind_[unit] = kind_of(static_cast<isa::Unit>(unit));
    timing_[unit] = make_timing(static_cast<isa::Unit>(unit), params);
  }
}

Units::Kind Units::kind_of(isa::Unit unit) {
  switch (unit) {
    case isa::Unit::kLoad:
    case isa::Unit::kStore:
    case isa::Unit::kAtomic:
    case isa::Unit::kFence: return kMemory;
    case isa::Unit::kFpuFma:
    case isa::Unit::kFpuMisc:
    case isa::Unit::kFpuConvert:
    case isa::Unit::kFpuDivide:
    case isa::Unit::kFpuSqrt: return kFloat;
    case isa::Unit::kCsr:
    case isa::Unit::kWarpControl:
    case isa::Unit::kSystem: return kSpecial;
    default: return kInteger;
  }
}

Units::Timing Units::make_timing(isa::Unit unit, const Params& p) {
  const auto timing = [](base::Cycle latency, base::Cycle interval, IssueReason producer,
                         bool unlocks_fetch = false) {
    return Timing{static_cast<std::uint8_t>(latency), static_cast<std::uint8_t>(interval), unlocks_fetch,
                  producer};
  };
  switch (unit) {
    case isa::Unit::kMul: return timing(p.mul_latency, 1, IssueReason::kAluResult);
    case isa::Unit::kDiv: return timing(p.div_latency, p.div_interval, IssueReason::kAluResult);
    case isa::Unit::kFpuFma: return timing(p.fma_latency, 1, IssueReason::kFpuResult);
    case isa::Unit::kFpuMisc: return timing(p.fpu_misc_latency, 1, IssueReason::kFpuResult);
    case isa::Unit::kFpuConvert: return timing(p.fpu_convert_latency, 1, IssueReason::kFpuResult);
    case isa::Unit::kFpuDivide:
    case isa::Unit::kFpuSqrt:
      return timing(p.fpu_divide_latency, p.fpu_divide_interval, IssueReason::kFpuResult);
    case isa::Unit::kCsr:  // and the time for its packets
    case isa::Unit::kWarpControl:
    case isa::Unit::kSystem: return timing(p.sfu_latency, 1, IssueReason::kAluResult, true);
    default: return timing(p.alu_latency, 1, IssueReason::kAluResult, unit == isa::Unit::kBranch);
  }
}

/// Packets of `sfu_lanes` lanes that have an active lane; the special-function unit takes one per cycle.
unsigned Units::sfu_packets(std::uint32_t mask) const {
  unsigned packets = 0;
  for (unsigned first = 0; first < lanes_; first += sfu_lanes_)
    packets += (mask >> first & ((std::uint64_t{1} << sfu_lanes_) - 1)) != 0;
  return packets;
}

void Units::reset() {
  for (DispatchBuffers& unit : units_) unit.reset();
  pending_ = 0;
  load_store_open_ = true;
  due_ = base::kNever;
}

}  // namespace spica::simt_core
