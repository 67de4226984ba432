// SPDX-License-Identifier: Apache-2.0
// The loops of the fast mode for hosts with AVX2, FMA and BMI2: warps of eight lanes, or some of up to eight.
#define SPICA_LANE_KERNELS_NAMESPACE fast_avx2_8
#define SPICA_LOOPS_NAMESPACE avx2
#define SPICA_DEFINE_LOOPS SPICA_DEFINE_LOOP(all_of_8, AllOf<8>) SPICA_DEFINE_LOOP(some_of_8, SomeOfEight)
#include "models/isa/lane_kernels_code.inc"
#include "models/simt_core/fast/loops_code.inc"
