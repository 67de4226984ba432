// SPDX-License-Identifier: Apache-2.0
#include "models/tensor_core/dot_product.h"

#include "models/base/host_dispatch.h"

namespace spica::tensor_core {

namespace baseline {
const DotProductKernels& kernels(Operand operand);
}
namespace avx2 {
const DotProductKernels& kernels(Operand operand);
}

const DotProductKernels& dot_product_kernels(Operand operand, base::HostCode code) {
  return base::host_version(&baseline::kernels, &avx2::kernels, code)(operand);
}

const DotProductKernels& dot_product_kernels(Operand operand) {
  return dot_product_kernels(operand, base::host_code());
}

}  // namespace spica::tensor_core
