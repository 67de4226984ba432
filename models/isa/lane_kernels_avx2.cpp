// SPDX-License-Identifier: Apache-2.0
// Lane kernels for hosts with AVX2, FMA and BMI2.
#define SPICA_LANE_KERNELS_NAMESPACE avx2
#include "models/isa/lane_kernels_code.inc"
#include "models/isa/lane_kernels_table.inc"
