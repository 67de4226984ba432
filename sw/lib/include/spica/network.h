/* SPDX-License-Identifier: Apache-2.0
 *
 * The argument block of the kernels of neural networks (sw/kernels/network), the same for all of them. For kernels and
 * for the host that launches them. configs/network-kernels lists the operands, integers and scalars of each kernel. */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
namespace spica {
#endif

enum {
  NETWORK_RANK = 6, /* dimensions of every operand; missing ones come first, with an extent of 1 */
  NETWORK_OPERANDS = 6, /* 0 is the result */
  NETWORK_INTEGERS = 16,
  NETWORK_SCALARS = 4
};

/* Operand i has its element (x0, ..., x5) at address[i] + element bytes * sum of strides[i][d] * x_d. A stride of 0
 * repeats an operand along a dimension. Strides may be negative. */
struct NetworkArguments {
  uint32_t extents[NETWORK_RANK]; /* of the iteration space, the last one innermost */
  uint32_t address[NETWORK_OPERANDS]; /* 0: the operand is missing */
  int32_t strides[NETWORK_OPERANDS][NETWORK_RANK]; /* in elements of the operand */
  int32_t integers[NETWORK_INTEGERS];
  float scalars[NETWORK_SCALARS];
};

#ifdef __cplusplus
} /* namespace spica */
#endif
