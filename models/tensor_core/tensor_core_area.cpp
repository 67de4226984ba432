// SPDX-License-Identifier: Apache-2.0
// What the kinds of tensor core are made of.
#include "models/numeric/mac_kinds.h"
#include "models/tensor_core/decoupled_tensor_core.h"
#include "models/tensor_core/tensor_core.h"
#include "models/tensor_core/tile_layout.h"
#include "models/tensor_core/warp_mma/warp_tensor_core.h"

namespace spica::tensor_core {

namespace {

using base::Structure;

constexpr double kWord = 32;
constexpr double kMicroOpBits = 64;  // what a queue knows of a micro-op or an instruction

double number(std::uint64_t value) { return static_cast<double>(value); }

}  // namespace

base::AreaTerms TensorCore::area() const {
  const TensorCoreParams& p = params_;
  const double row = protocol::kTensorLanes * kWord;
  base::AreaTerms area;
  numeric::add_mac_area(area, "dot_product", p.format(), number(p.macs_per_cycle()));
  area
      // A step pair: both halves of A, B and C; a finished one: two rows.
      .add("operands", Structure::kRegisterBit, number(p.operand_fifo) * 6 * row)
      .add("operands", Structure::kRegisterBit, number(p.result_fifo) * 2 * row)
      .add("control", Structure::kRegisterBit,
           (number(p.warps * p.metadata_queue) + number(p.warp_fifo)) * kMicroOpBits);
  return area;
}

base::AreaTerms DecoupledTensorCore::area() const {
  const TensorCoreParams& p = params_;
  const DecoupledParams& d = p.decoupled;
  const double row = protocol::kTensorLanes * kWord, block = 8.0 * tile::kBlockBytes;
  base::AreaTerms area;
  numeric::add_mac_area(area, "dot_product", p.format(), number(p.macs_per_cycle()));
  area
      // Of A and of B each: answers that wait, and two block buffers.
      .add_array("operands", Structure::kRegisterBit, 2 * (number(d.response_queue) + 2) * block, 2, block)
      .add("operands", Structure::kFlopBit, 2 * number(d.source_ids) * kWord)
      .add_array("accumulator", Structure::kRegisterBit, number(d.accumulator_rows) * row, 1, row)
      .add("control", Structure::kRegisterBit, number(d.instruction_queue) * kMicroOpBits)
      .add("control", Structure::kController, 1);
  return area;
}

}  // namespace spica::tensor_core

namespace spica::tensor_core::warp_mma {

base::AreaTerms WarpTensorCore::area() const {
  const TensorCoreParams& p = params_;
  const double macs = number(p.macs_per_cycle()), row = kLanes * kWord;
  base::AreaTerms area;
  area.add("dot_product", Structure::kMacFp16, macs)
      // Operands of a step and of the next one: a row of A, of B and of C each; a row of results.
      .add("operands", Structure::kFlopBit, (2 * 3 + 1) * row)
      .add("control", Structure::kFlopBit, number(p.warps) * kMicroOpBits);
  // Volta multiplies FP16 alone; the others also 8-bit integers, twice as many.
  if (p.style != Style::kVolta && p.style != Style::kBlock)
    area.add("dot_product", Structure::kMacInt8, 2 * macs);
  return area;
}

}  // namespace spica::tensor_core::warp_mma
