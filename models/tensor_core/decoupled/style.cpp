// SPDX-License-Identifier: Apache-2.0
// What a machine must know of this style.
#include "models/tensor_core/decoupled/decoupled_tensor_core.h"
#include "models/tensor_core/decoupled/fast_hgmma_unit.h"
#include "models/tensor_core/decoupled/hgmma_unit.h"
#include "models/tensor_core/fast_tensor_core.h"
#include "models/tensor_core/styles.h"
#include "models/tensor_core/tensor_core_params.h"

namespace spica::tensor_core {

const StyleParts& decoupled_parts() {
  static const StyleParts parts = [] {
    StyleParts style;
    style.block = assembly::Kind{"decoupled_tensor_core", "a tensor core on operands from shared memory"}
                      .with_cycle(assembly::make_with<DecoupledTensorCore, TensorCoreParams>())
                      .with_fast(assembly::make_bare<FastTensorCore, TensorCoreParams>())
                      .with_cycle_only({"registers", "smem_a", "smem_b"});
    style.unit = simt_core::make_tensor_unit<HgmmaUnit>();
    style.fast_unit = simt_core::fast::make_tensor_unit<FastHgmmaUnit>();
    style.port = "decoupled_tensor";
    style.back = "registers";
    style.back_to = "tensor_registers";
    style.wide = {"smem_a", "smem_b"};
    return style;
  }();
  return parts;
}

}  // namespace spica::tensor_core
