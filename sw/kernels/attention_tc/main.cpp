// SPDX-License-Identifier: Apache-2.0
// O = softmax(Q K^T / sqrt(d)) V with the tensor cores inside the SIMT cores and the matrix unit's
// DMA, FP32, head dimension 64. Revision v2 (hexadecile commands, 256 KB of shared memory).
//
// Shows: synchronous multiplications. Each tile of 64 queries x 64 keys goes through four steps,
// with all 32 warps in each and a barrier (id 7) between them:
//   1. scores = Q K^T, a part of 16 x 8 per warp, from the accumulators to shared memory;
//   2. row maxima;
//   3. probabilities, in place;
//   4. O: accumulators from shared memory, times the rescaling of their rows, plus P V, and back.
// The DMA brings the next tiles of K and V meanwhile.
//
// Operand A of wmma has a row per lane, so Q and P stand transposed in shared memory: eight rows at
// one k are the eight words of a line. P is written that way. Q is turned once per 64 queries.
//
// Arguments: attention_common/attention_arguments.h. Exit code 2: sizes (sequence a multiple of 64,
// head dimension 64), or a machine without 256 threads in warps of 8.
#include <matrix_unit.h>
#include <stdlib.h>

#include "sw/kernels/attention_common/online_softmax.h"
#include "sw/kernels/gemm_common/warp_tile.h"

ATTENTION_ARGUMENTS(arguments);

constexpr unsigned kUnit = 0;
constexpr unsigned kGlobalBarrier = 7;
constexpr unsigned kHexadecileBytes = PLATFORM_SHARED_SIZE / 16;
constexpr unsigned kHexadecileRows = kHexadecileBytes / (MATRIX_UNIT_DIM * kWordBytes);
constexpr unsigned kRowBytes = kHeadDim * kWordBytes;  // of Q, V and O
static_assert(kHexadecileBytes == kTileBytes, "a tile fills one hexadecile");
