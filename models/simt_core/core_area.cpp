// SPDX-License-Identifier: Apache-2.0
// What a SIMT core is made of.
#include "models/simt_core/core_area.h"

#include <algorithm>

namespace spica::simt_core {

namespace {

constexpr double kWord = 32;
constexpr double kRegisters = 64;  // of a lane: 32 of integers, 32 of FP32
constexpr double kReadPorts = 3;  // of the register file, a copy each (vortex core/VX_operands_dup.sv)
/// A decoded instruction without its lane mask: pc, immediate, operation, four register numbers.
constexpr double kDecodedBits = kWord + kWord + 20 + 4 * 6;

}  // namespace

base::AreaTerms core_area(const Params& p) {
  using base::Structure;
  const auto number = [](std::uint64_t value) { return static_cast<double>(value); };
  const double warp_count = number(p.warps), lane_count = number(p.lanes), row = lane_count * kWord;
  // Of a lane: in a file that all warps share, fragments among them, or in files of the warps.
  const bool shared = p.register_rows != 0;
  const double registers = shared ? number(p.register_rows) : warp_count * kRegisters;
  const double fragments = shared ? 0 : warp_count * number(p.tensor_registers);
  const double decoded = kDecodedBits + lane_count;
  const double slots = p.issue == Issue::kPerWarp ? warp_count : 1;  // instructions that issue in a cycle
  // From issue to each kind of unit; the one to the tensor core only if present.
  const double ways = kUnitKinds - (p.tensor_style == isa::TensorStyle::kUnknown ? 1 : 0);
  const double alus = number(p.units_of(UnitKind::kAlu)) * std::min(lane_count, number(p.alu_lanes));
  const double fpus = number(p.units_of(UnitKind::kFpu)) * std::min(lane_count, number(p.fpu_lanes));
  const double accesses = number(p.units_of(UnitKind::kLoadStore) * p.load_store.queue_depth);

  base::AreaTerms area;
  area.add("control", Structure::kInstructionControl, 1)
      .add("warps", Structure::kFlopBit,
           warp_count * (kWord + lane_count + kRegisters))  // pc, mask, scoreboard
      .add("warps", Structure::kRegisterBit,
           warp_count * number(p.simt_stack_depth) * (kWord + lane_count + 1))
      .add("instruction_buffers", Structure::kRegisterBit,
           warp_count * number(p.instruction_buffer) * decoded)
      // An access reads one slice: of its warp where each issues by itself, else of all.
      .add_array("register_file", Structure::kRegisterBit, kReadPorts * registers * row, kReadPorts * slots,
                 row)
      .add("fragment_registers", Structure::kRegisterBit, fragments * row)
      .add("operands", Structure::kFlopBit, slots * (number(p.operand_depth) * decoded + kReadPorts * row))
      .add("dispatch", Structure::kFlopBit, slots * ways * (decoded + kReadPorts * row))
      .add_crossbar("dispatch", slots, ways, decoded + kReadPorts * row)
      .add_crossbar("commit", ways, slots, row)
      .add("alu", Structure::kAlu, alus)
      .add("alu", Structure::kMultiplier, alus)
      .add("alu", Structure::kDivider, alus)
      .add("fpu", Structure::kFmaFp32, fpus)
      .add("fpu", Structure::kDivideFp32, fpus)
      // An access has an address and a word of each lane; what comes back waits until all of it is there.
      .add("load_store", Structure::kRegisterBit, accesses * (decoded + 2 * row))
      .add("load_store", Structure::kRegisterBit, number(p.load_store.source_ids) * row);
  return area;
}

}  // namespace spica::simt_core
