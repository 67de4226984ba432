// SPDX-License-Identifier: Apache-2.0
#define SPICA_CONVERT_NAMESPACE baseline
#include "models/numeric/convert_code.inc"
