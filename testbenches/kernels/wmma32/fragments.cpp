// SPDX-License-Identifier: Apache-2.0
// Loads, multiplies and stores one product per warp of the cluster, from memory that the test fills, through shared
// memory or not. MISTAKE: the same with one thing wrong.
#include <arguments.h>
#include <platform.h>
#include <simt.h>
#include <spawn.h>
#include <string.h>
#include <wmma.h>

struct Arguments {
  uint32_t shape, format;  // 0: 16x16x16, 1: 32x8x16, 2: 8x32x16, 3: 16x8x16,
      // 4: 16x8x8, 5: 8x8x32, 6: 16x16x32 of E4M3; 0: FP32 sums, 1: FP16, 2: 8-bit integers, 3: 4-bit integers, 4: without sign
  uint32_t layouts;  // bit 0: A, 1: B, 2: C and D column by column
  uint32_t shared;  // operands in shared memory
  uint32_t mistake;
  uint32_t unused;
};
KERNEL_ARGUMENTS(Arguments, arguments) = {};

constexpr unsigned kBytes = 2048;  // of a matrix
#define OPERAND(i) reinterpret_cast<void*>(PLATFORM_OPERAND_A + (4 * warp + (i)) * kBytes)

template <unsigned m, unsigned n, unsigned k, class Operand, class Sum, class LayoutA, class LayoutB>
static void product(unsigned warp) {
  wmma::fragment<3, wmma::matrix_a, m, n, k, Operand, LayoutA> a;
  wmma::fragment<31, wmma::matrix_b, m, n, k, Operand, LayoutB> b;
  wmma::fragment<7, wmma::accumulator, m, n, k, Sum> c;
  wmma::fragment<8, wmma::accumulator, m, n, k, Sum> d;
  const wmma::layout_t layout = (arguments.layouts & 4) != 0 ? wmma::mem_col_major : wmma::mem_row_major;
  const unsigned stride_a = LayoutA::column ? m : k, stride_b = LayoutB::column ? k : n;
  const unsigned stride_c = layout == wmma::mem_col_major ? m : n;
  using Stored = wmma::storage_of<Operand>;
  const auto* from_a = static_cast<const Stored*>(OPERAND(0));
  const auto* from_b = static_cast<const Stored*>(OPERAND(1));
  if (arguments.shared != 0) {
    auto* const shared = reinterpret_cast<uint32_t*>(PLATFORM_SHARED_BASE + warp * 2 * 1024);
    const auto* const words_a = static_cast<const uint32_t*>(OPERAND(0));
    const auto* const words_b = static_cast<const uint32_t*>(OPERAND(1));
    for (unsigned i = simt_lane(); i < 256; i += 32) {
      shared[i] = words_a[i];
      shared[256 + i] = words_b[i];
    }
    simt_fence();
    from_a = reinterpret_cast<const Stored*>(shared);
    from_b = reinterpret_cast<const Stored*>(shared + 256);
  }
  if (arguments.mistake == 1) {
    SIMT_IF(simt_lane() < 5)
    wmma::mma_sync(d, a, b, c);
    SIMT_END_IF
  }
  if (arguments.mistake == 2) wmma::load_matrix_sync(a, from_a + 1, stride_a);
  if (arguments.mistake == 3) wmma::load_matrix_sync(a, from_a, stride_a + 1);
  if (arguments.mistake == 4) wmma::load_matrix_sync(a, from_a + 8 * simt_lane(), stride_a);
  if (arguments.mistake == 5)
    wmma::load_matrix_sync(a, reinterpret_cast<const Stored*>(0x1000'0000), stride_a);
  wmma::load_matrix_sync(c, static_cast<const Sum*>(OPERAND(2)), stride_c, layout);
  wmma::load_matrix_sync(a, from_a, stride_a);
  wmma::load_matrix_sync(b, from_b, stride_b);
  wmma::mma_sync(d, a, b, c);
  wmma::mma_sync(d, a, b, d);
  wmma::store_matrix_sync(static_cast<Sum*>(OPERAND(3)), d, stride_c, layout);
}

template <unsigned m, unsigned n, unsigned k, class Operand, class Sum>
static void with_layouts(unsigned warp) {
  switch (arguments.layouts & 3) {
    case 0: return product<m, n, k, Operand, Sum, wmma::row_major, wmma::row_major>(warp);
    case 1: return product<m, n, k, Operand, Sum, wmma::col_major, wmma::row_major>(warp);
    case 2: return product<m, n, k, Operand, Sum, wmma::row_major, wmma::col_major>(warp);
    default: return product<m, n, k, Operand, Sum, wmma::col_major, wmma::col_major>(warp);
  }
}

template <unsigned m, unsigned n, unsigned k = 16>
static void with_format(unsigned warp) {
  if (arguments.format == 0) with_layouts<m, n, k, wmma::half, float>(warp);
  else if (arguments.format == 1) with_layouts<m, n, k, wmma::half, wmma::half>(warp);
  else if constexpr (n != 8 || m == 32) with_layouts<m, n, k, wmma::s8, int32_t>(warp);
}

static void task(unsigned thread, void*) {
  if (arguments.shape == 0) with_format<16, 16>(thread / 32);
  else if (arguments.shape == 1) with_format<32, 8>(thread / 32);
  else if (arguments.shape == 2) with_format<8, 32>(thread / 32);
  else if (arguments.shape == 3) with_format<16, 8>(thread / 32);
  else if (arguments.shape == 4) with_format<16, 8, 8>(thread / 32);
  else if (arguments.shape == 6 && arguments.format == 0)
    with_layouts<16, 16, 32, wmma::e4m3, float>(thread / 32);
  else if (arguments.shape == 6) with_layouts<16, 16, 32, wmma::e4m3, wmma::half>(thread / 32);
  else if (arguments.format == 3)
    product<8, 8, 32, wmma::experimental::precision::s4, int32_t, wmma::row_major, wmma::col_major>(thread /
                                                                                                    32);
  else
    product<8, 8, 32, wmma::experimental::precision::u4, int32_t, wmma::row_major, wmma::col_major>(thread /
                                                                                                    32);
}

int main() {
  spawn_tasks(16 * 32, task, nullptr);
  return 0;
}
