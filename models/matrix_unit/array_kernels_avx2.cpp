// SPDX-License-Identifier: Apache-2.0
// Compiled with -mavx2 -mfma -mf16c (see CMakeLists.txt); called only on hosts that have them.
#define SPICA_KERNEL_SPACE avx2
#include "models/matrix_unit/array_kernels_code.inc"
