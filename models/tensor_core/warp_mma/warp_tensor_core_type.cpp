// SPDX-License-Identifier: Apache-2.0
// What the block says of itself, what it is made of, and how it is saved.
#include "models/base/checkpoint.h"
#include "models/tensor_core/area_terms.h"
#include "models/tensor_core/warp_mma/warp_tensor_core.h"

namespace spica::tensor_core::warp_mma {

namespace {

using base::Structure;

base::BlockType warp_type() {
  base::BlockType type;
  // clang-format off: name, counters, unit, place in the tree, counter of the per-instruction profile, meaning
  type.events = {
      {"warp_tensor_core.mac_fp16", {{"macs_fp16", 1}}, "MAC", "tensor_core/dot_product", {},
       "multiply-accumulates of FP16 operands"},
      {"warp_tensor_core.mac_bf16", {{"macs_bf16", 1}}, "MAC", "tensor_core/dot_product", {},
       "multiply-accumulates of BF16 operands"},
      {"warp_tensor_core.mac_tf32", {{"macs_tf32", 1}}, "MAC", "tensor_core/dot_product", {},
       "multiply-accumulates of TF32 operands"},
      {"warp_tensor_core.mac_fp8", {{"macs_fp8", 1}}, "MAC", "tensor_core/dot_product", {},
       "multiply-accumulates of FP8 operands"},
      {"warp_tensor_core.mac_fp6", {{"macs_fp6", 1}}, "MAC", "tensor_core/dot_product", {},
       "multiply-accumulates of FP6 operands"},
      {"warp_tensor_core.mac_fp4", {{"macs_fp4", 1}}, "MAC", "tensor_core/dot_product", {},
       "multiply-accumulates of FP4 operands"},
      {"warp_tensor_core.mac_integer", {{"macs_int8", 1}, {"macs_int4", 1}}, "MAC", "tensor_core/dot_product", {},
       "multiply-accumulates of integers of 8 and 4 bits"},
      {"warp_tensor_core.operand", {{"rows_read", 1, "lanes"}, {"rows_written", 1, "lanes"}}, "word",
       "tensor_core/operands", {}, "words between register file and units, through operand and result buffers"},
  };
  // clang-format on
  type.name = "warp_tensor_core";
  type.order = 25;
  type.inside = "core";
  type.units = "tensor_cores";
  type.idle = base::IdleEnergy{"tensor_core/idle", "a tensor core"};
  type.parameters = "tensor_core";
  // Operations of all formats take equally long: the narrower, the more products.
  type.arithmetic = {"macs_fp16",
                     "macs_per_cycle",
                     "tensor cores",
                     {{"macs_bf16", 1},
                      {"macs_tf32", 0.5},
                      {"macs_fp8", 2},
                      {"macs_fp6", 2},
                      {"macs_fp4", 4},
                      {"macs_int8", 2},
                      {"macs_int4", 4}}};
  type.timeline_accounts = {"dot_product"};
  return type;
}

}  // namespace

const base::BlockType& WarpTensorCore::block_type() {
  static const base::BlockType type = warp_type();
  return type;
}

namespace {
const base::KnownBlockType known(WarpTensorCore::block_type());
}

base::Properties WarpTensorCore::properties() const {
  return {{"lanes", kLanes}, {"macs_per_cycle", static_cast<double>(params_.macs_per_cycle())}};
}

base::AreaTerms WarpTensorCore::area() const {
  const TensorCoreParams& p = params_;
  const double macs = number(p.macs_per_cycle()), row = kLanes * kWordBits;
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

/// Where fragments lie in memory: loads and stores under way in the core point at it.
void WarpTensorCore::objects(base::Checkpoint& checkpoint) {
  using protocol::FragmentMatrix;
  for (unsigned form = 0; form < isa::kMmaFormCount; ++form)
    for (const FragmentMatrix matrix : {FragmentMatrix::kA, FragmentMatrix::kB, FragmentMatrix::kC})
      for (const bool column_major : {false, true})
        checkpoint.objects().add(
            const_cast<protocol::FragmentAccess*>(&semantics_.access(form, matrix, column_major)));
}

bool WarpTensorCore::timing(base::Checkpoint& checkpoint) {
  for (Warp& warp : warps_) {
    std::ptrdiff_t form = warp.form != nullptr ? warp.form - forms_.data() : -1;
    checkpoint(form, warp.step, warp.counted, warp.c, warp.d, warp.began, warp.first, warp.last,
               warp.issued_any, warp.result);
    warp.form = form >= 0 ? &forms_[static_cast<std::size_t>(form)] : nullptr;
  }
  checkpoint(started_, free_, computing_, user_, stats_);
  return true;
}

}  // namespace spica::tensor_core::warp_mma
