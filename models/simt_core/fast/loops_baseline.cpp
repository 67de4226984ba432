// SPDX-License-Identifier: Apache-2.0
// The loops of the fast mode for every host.
#define SPICA_LANE_KERNELS_NAMESPACE fast_baseline
#define SPICA_LOOPS_NAMESPACE baseline
#include "models/isa/lane_kernels_code.inc"
#include "models/simt_core/fast/loops_code.inc"
