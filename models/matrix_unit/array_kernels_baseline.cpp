// SPDX-License-Identifier: Apache-2.0
#define SPICA_KERNEL_SPACE baseline
#include "models/matrix_unit/array_kernels_code.inc"
