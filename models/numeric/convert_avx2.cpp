// SPDX-License-Identifier: Apache-2.0
#define SPICA_CONVERT_NAMESPACE avx2
#include "models/numeric/convert_code.inc"
