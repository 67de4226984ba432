// SPDX-License-Identifier: Apache-2.0
// The loops of the fast mode for every host: warps of some of more than eight lanes.
#define SPICA_LANE_KERNELS_NAMESPACE fast_baseline_some
#define SPICA_LOOPS_NAMESPACE baseline
#define SPICA_DEFINE_LOOPS SPICA_DEFINE_LOOP(some_of_more, SomeOfMore)
#include "models/isa/lane_kernels_code.inc"
#include "models/simt_core/fast/loops_code.inc"
