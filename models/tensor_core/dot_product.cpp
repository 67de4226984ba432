// SPDX-License-Identifier: Apache-2.0
#include "models/tensor_core/dot_product.h"

namespace spica::tensor_core {

namespace baseline {
const DotProductKernels& kernels(Operand operand);
}
#if defined(__x86_64__)
namespace avx2 {
const DotProductKernels& kernels(Operand operand);
}
bool host_has_avx2() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("f16c"); }
const DotProductKernels& dot_product_kernels(Operand operand, HostCode code) {
  return code == HostCode::kAvx2 ? avx2::kernels(operand) : baseline::kernels(operand);
}
#else
bool host_has_avx2() { return false; }
const DotProductKernels& dot_product_kernels(Operand operand, HostCode) { return baseline::kernels(operand); }
#endif

const DotProductKernels& dot_product_kernels(Operand operand) {
  return dot_product_kernels(operand, host_has_avx2() ? HostCode::kAvx2 : HostCode::kBaseline);
}

}  // namespace spica::tensor_core
