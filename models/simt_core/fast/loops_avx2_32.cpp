// SPDX-License-Identifier: Apache-2.0
// The loops of the fast mode for hosts with AVX2, FMA and BMI2: warps of 32 lanes.
#define SPICA_LANE_KERNELS_NAMESPACE fast_avx2_32
#define SPICA_LOOPS_NAMESPACE avx2
#define SPICA_DEFINE_LOOPS SPICA_DEFINE_LOOP(all_of_32, AllOf<32>)
#include "models/isa/lane_kernels_code.inc"
#include "models/simt_core/fast/loops_code.inc"
