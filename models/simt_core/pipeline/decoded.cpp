// SPDX-License-Identifier: Apache-2.0
#include "models/simt_core/pipeline/decoded.h"

#include "models/base/types.h"
#include "models/isa/csr.h"
#include "models/simt_core/warp/executor.h"

namespace spica::simt_core {

namespace {

UnitKind kind_of(isa::Unit unit) {
  switch (unit) {
    case isa::Unit::kLoad:
    case isa::Unit::kStore:
    case isa::Unit::kAtomic:
    case isa::Unit::kFence:
    case isa::Unit::kAsync: return UnitKind::kLoadStore;
    case isa::Unit::kFpuFma:
    case isa::Unit::kFpuMisc:
    case isa::Unit::kFpuConvert:
    case isa::Unit::kFpuDivide:
    case isa::Unit::kFpuSqrt: return UnitKind::kFpu;
    case isa::Unit::kCsr:
    case isa::Unit::kWarpControl:
    case isa::Unit::kSystem: return UnitKind::kSfu;
    case isa::Unit::kTensor: return UnitKind::kTensor;
    default: return UnitKind::kAlu;
  }
}

struct Timing {
  base::Cycle latency, interval;
};

Timing timing_of(isa::Unit unit, const Params& p) {
  switch (unit) {
    case isa::Unit::kMul: return {p.mul_latency, 1};
    case isa::Unit::kDiv: return {p.div_latency, p.div_interval};
    case isa::Unit::kFpuFma: return {p.fma_latency, 1};
    case isa::Unit::kFpuMisc: return {p.fpu_misc_latency, 1};
    case isa::Unit::kFpuConvert: return {p.fpu_convert_latency, 1};
    case isa::Unit::kFpuDivide:
    case isa::Unit::kFpuSqrt: return {p.fpu_divide_latency, p.fpu_divide_interval};
    case isa::Unit::kCsr:  // and the time for its packets
    case isa::Unit::kWarpControl:
    case isa::Unit::kSystem: return {p.sfu_latency, 1};
    default: return {p.alu_latency, 1};
  }
}

}  // namespace

Decoded::Decoded(const isa::Instruction& instruction, const Params& params)
    : Instruction(instruction),
      written(instruction.writes()),
      hazards(instruction.reads | instruction.writes()),
      kind(kind_of(instruction.unit)) {
  if (rd != isa::kNoRegister) result = rd;
  const Timing timing = timing_of(unit, params);
  const std::uint64_t packets = kind == UnitKind::kAlu   ? params.packets(params.alu_lanes)
                                : kind == UnitKind::kFpu ? params.packets(params.fpu_lanes)
                                                         : 1;
  delay =
      static_cast<std::uint16_t>(timing.latency + (packets - 1) * timing.interval + params.commit_latency);
  interval = static_cast<std::uint16_t>(packets * timing.interval);
  in_order = !(params.csr_reads == CsrReads::kPipelined && unit == isa::Unit::kCsr &&
               !isa::csr_writes(instruction) && isa::csr::of_position(static_cast<std::uint32_t>(imm)));
  unlocks_fetch = (kind == UnitKind::kSfu && in_order) || unit == isa::Unit::kBranch;
  // What follows a fence.i must be fetched anew when the stores before it are done.
  holds_fetch = unlocks_fetch || opcode == isa::Opcode::kFenceI;
  plain = Executor::is_plain(instruction);
  if (kind == UnitKind::kFpu) producer = IssueReason::kFpuResult;
}

}  // namespace spica::simt_core
