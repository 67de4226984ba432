// SPDX-License-Identifier: Apache-2.0
// The area of a matrix unit and the node in front of the units, by structure.
#include "models/matrix_unit/accelerator_node.h"
#include "models/matrix_unit/matrix_unit.h"
#include "models/numeric/mac_kinds.h"

namespace spica::matrix_unit {

namespace {

constexpr double kSumBits = 32;  // of the array
/// A command with its two operands, and what it waits for (gemmini ReservationStation.scala).
constexpr double kCommandBits = 160;
/// State machines: loads, stores, computes, and the unrolling of loops (gemmini Controller.scala).
constexpr double kControllers = 4;
constexpr double kWordOfCommand = 32;

}  // namespace

base::AreaTerms MatrixUnit::area() const {
  using base::Structure;
  const MatrixUnitParams& p = params_;
  const auto number = [](std::uint64_t value) { return static_cast<double>(value); };
  const double dim = number(p.dim), elements = dim * dim, element_bits = 8 * number(p.element_bytes());
  const double commands = number(p.command_queue + p.rocc_queue + p.load_entries + p.store_entries +
                                 p.execute_entries + p.execute_queue + p.store_commands);

  base::AreaTerms area;
  numeric::add_mac_area(area, "pes", p.operand, elements * number(p.macs_per_cell));
  if (p.block_scales)  // of a tile; a product's exponent is added to those of its scales, one for each column
    area.add_memory("scales", Structure::kTwoPortBit, 8 * number((p.tile_m + p.tile_n) * p.row_bytes()), 2,
                    dim * 8)
        .add("scales", Structure::kAlu, dim);
  area
      // A word of A on its way, and two of B: one in use, one for the next block.
      .add("pes", Structure::kFlopBit, elements * 3 * element_bits)
      // Rows enter askew, row i after i cycles: A, B, and the sums that leave.
      .add("skew", Structure::kFlopBit, dim * (dim - 1) / 2 * (2 * element_bits + kSumBits))
      .add("operands", Structure::kRegisterBit, 2 * number(p.operand_rows) * dim * element_bits)
      // Of each 32 bits of addresses what a sum takes.
      .add_memory("accumulator", Structure::kTwoPortBit, number(p.accumulator_bytes / 4 * p.sum_bits()), 1,
                  dim * number(p.sum_bits()))
      .add("accumulator", Structure::kAddFp32, dim)
      .add("commands", Structure::kRegisterBit, commands * kCommandBits)
      .add("control", Structure::kController, kControllers);
  return area;
}

base::AreaTerms AcceleratorNode::area() const {
  base::AreaTerms area;
  area.add("commands", base::Structure::kFlopBit, static_cast<double>(units_.size()) * kWordOfCommand);
  return area;
}

}  // namespace spica::matrix_unit
