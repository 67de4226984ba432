// SPDX-License-Identifier: Apache-2.0
// Dot-product kernels for every host.
#define SPICA_DOT_PRODUCT_NAMESPACE baseline
#include "models/tensor_core/dot_product_code.inc"
