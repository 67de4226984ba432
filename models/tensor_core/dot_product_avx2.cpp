// SPDX-License-Identifier: Apache-2.0
// Dot-product kernels for hosts with AVX2 and F16C.
#define SPICA_DOT_PRODUCT_NAMESPACE avx2
#include "models/tensor_core/dot_product_code.inc"
