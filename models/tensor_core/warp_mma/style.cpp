// SPDX-License-Identifier: Apache-2.0
// What a machine must know of this style.
#include "models/tensor_core/styles.h"
#include "models/tensor_core/tensor_core_params.h"
#include "models/tensor_core/warp_mma/fast_fragment_unit.h"
#include "models/tensor_core/warp_mma/fragment_unit.h"
#include "models/tensor_core/warp_mma/warp_tensor_core.h"

namespace spica::tensor_core {

const StyleParts& warp_mma_parts() {
  static const StyleParts parts = [] {
    StyleParts style;
    style.block = assembly::Kind{"warp_tensor_core", "a tensor core on fragments in registers of 32 lanes"}
                      .with_cycle(assembly::make_with<warp_mma::WarpTensorCore, TensorCoreParams>())
                      .with_fast(assembly::make_bare<warp_mma::FastWarpTensorCore, TensorCoreParams>());
    style.unit = simt_core::make_tensor_unit<warp_mma::FragmentUnit>();
    style.fast_unit = simt_core::fast::make_tensor_unit<warp_mma::FastFragmentUnit>();
    style.port = "warp_tensor";
    return style;
  }();
  return parts;
}

}  // namespace spica::tensor_core
