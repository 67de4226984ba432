// SPDX-License-Identifier: Apache-2.0
#include "models/isa/execute.h"

namespace spica::isa {

// Constant-initialised to what runs everywhere, so that it is valid whenever static objects use it.
const LaneKernels* lane_kernels = &baseline::kLaneKernels;

#if defined(__x86_64__)
bool host_has_avx2() noexcept {
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
}

namespace {
const bool chosen = [] {
  if (host_has_avx2()) lane_kernels = &avx2::kLaneKernels;
  return true;
}();
}  // namespace
#endif

}  // namespace spica::isa
