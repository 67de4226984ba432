// SPDX-License-Identifier: Apache-2.0
// Mistakes with loads and stores of fragments, one per CASE; 0, 7: none. The lines named by comments are looked up by
// the test.
#include <arguments.h>
#include <platform.h>
#include <simt.h>
#include <spawn.h>
#include <wmma.h>

struct Arguments {
  uint32_t number, unused;
};
KERNEL_ARGUMENTS(Arguments, arguments) = {};

constexpr unsigned kWarps = 2;
alignas(16) float sums[16 * 16];
alignas(16) const float constants[16 * 16] = {1};
wmma::fragment<3, wmma::accumulator, 16, 16, 16, float> c;

static void fill_shared(float value) {
  auto* const shared = reinterpret_cast<volatile float*>(PLATFORM_SHARED_BASE);
  for (unsigned i = simt_lane(); i < 256; i += 32) shared[i] = value;
}

static float* result() { return reinterpret_cast<float*>(PLATFORM_RESULT); }
static float* shared() { return reinterpret_cast<float*>(PLATFORM_SHARED_BASE); }

/// Of two warps: the first one stores to shared memory, with words of its lanes or a fragment.
static void first(unsigned thread, void*) {
  const unsigned warp = thread / 32, number = arguments.number;
  if (number <= 1 && warp == 0) fill_shared(1.5f); /* store of case 1 */
  if (number == 1 && warp == 1)
    wmma::load_matrix_sync(c, shared(), 16, wmma::mem_row_major); /* load of case 1 */
  if (number == 2) {
    wmma::fill_fragment(c, warp == 0 ? 2.0f : 3.0f);
    wmma::store_matrix_sync(shared(), c, 16, wmma::mem_row_major); /* store of case 2 */
  }
  if (number == 3 && warp == 0)
    wmma::store_matrix_sync(const_cast<float*>(constants), c, 16, wmma::mem_row_major); /* store of case 3 */
  if (number == 4 && warp == 0)
    wmma::store_matrix_sync(sums + 64, c, 16, wmma::mem_row_major); /* store of case 4 */
  if (number == 5 && warp == 0)
    wmma::load_matrix_sync(c, result(), 16, wmma::mem_row_major); /* load of case 5 */
  if (number >= 6 && warp == 0) {
    simt_fence();
    fill_shared(1.5f); /* store of case 6 */
    if (number == 7) simt_fence();
    wmma::load_matrix_sync(c, shared(), 16, wmma::mem_row_major); /* load of case 6 */
  }
  simt_fence();
}

/// Behind a barrier: the other one loads it.
static void second(unsigned thread, void*) {
  if (thread / 32 != 1 || arguments.number != 0) return;
  wmma::load_matrix_sync(c, shared(), 16, wmma::mem_row_major);
  wmma::store_matrix_sync(sums, c, 16, wmma::mem_row_major);
  simt_fence();
  wmma::load_matrix_sync(c, sums, 16, wmma::mem_col_major);
}

int main() {
  spawn_tasks(kWarps * 32, first, nullptr);
  simt_barrier(0, 1);
  spawn_tasks(kWarps * 32, second, nullptr);
  simt_barrier(0, 1);
  return 0;
}
