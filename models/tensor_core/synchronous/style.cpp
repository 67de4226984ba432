// SPDX-License-Identifier: Apache-2.0
// What a machine must know of this style.
#include "models/tensor_core/fast_tensor_core.h"
#include "models/tensor_core/styles.h"
#include "models/tensor_core/synchronous/fast_wmma_unit.h"
#include "models/tensor_core/synchronous/tensor_core.h"
#include "models/tensor_core/synchronous/wmma_unit.h"
#include "models/tensor_core/tensor_core_params.h"

namespace spica::tensor_core {

const StyleParts& synchronous_parts() {
  static const StyleParts parts = [] {
    StyleParts style;
    style.block = assembly::Kind{"tensor_core", "a tensor core on operands from registers"}
                      .with_cycle(assembly::make_with<TensorCore, TensorCoreParams>())
                      .with_fast(assembly::make_bare<FastTensorCore, TensorCoreParams>())
                      .with_cycle_only({"result"});
    style.unit = simt_core::make_tensor_unit<WmmaUnit>();
    style.fast_unit = simt_core::fast::make_tensor_unit<FastWmmaUnit>();
    style.port = "tensor";
    style.back = "result";
    style.back_to = "tensor_result";
    return style;
  }();
  return parts;
}

}  // namespace spica::tensor_core
