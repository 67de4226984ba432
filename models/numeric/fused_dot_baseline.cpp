// SPDX-License-Identifier: Apache-2.0
#define SPICA_FUSED_DOT_NAMESPACE baseline
#include "models/numeric/fused_dot_code.inc"
