// SPDX-License-Identifier: Apache-2.0
// Lane kernels for every host.
#define SPICA_LANE_KERNELS_NAMESPACE baseline
#include "models/isa/lane_kernels_code.inc"
#include "models/isa/lane_kernels_table.inc"
