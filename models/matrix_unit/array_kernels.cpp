// SPDX-License-Identifier: Apache-2.0
#include "models/matrix_unit/array_kernels.h"

namespace spica::matrix_unit {

namespace baseline {
const ArrayKernels& kernels(unsigned dim, OperandFormat operand);
}
#if defined(__x86_64__)
namespace avx2 {
const ArrayKernels& kernels(unsigned dim, OperandFormat operand);
}
bool host_has_avx2() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c");
}
const ArrayKernels& array_kernels(unsigned dim, OperandFormat operand, HostCode code) {
  return code == HostCode::kAvx2 ? avx2::kernels(dim, operand) : baseline::kernels(dim, operand);
}
#else
bool host_has_avx2() { return false; }
const ArrayKernels& array_kernels(unsigned dim, OperandFormat operand, HostCode) {
  return baseline::kernels(dim, operand);
}
#endif

const ArrayKernels& array_kernels(unsigned dim, OperandFormat operand) {
  return array_kernels(dim, operand, host_has_avx2() ? HostCode::kAvx2 : HostCode::kBaseline);
}

}  // namespace spica::matrix_unit
