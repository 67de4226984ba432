// SPDX-License-Identifier: Apache-2.0
// Values that a warp uses though they are not there: fragments (for volta-sm) and words of other lanes. One case each,
// and with bug = 0 the same with them; memory_errors_test.py knows the finding in the line with the mark.
#include <arguments.h>
#include <platform.h>
#include <simt.h>
#include <spawn.h>
#include <spica/simt.h>
#include <wmma.h>

struct Arguments {
  uint32_t number, bug;
};
KERNEL_ARGUMENTS(Arguments, arguments) = {0, 0};

namespace {

wmma::fragment<0, wmma::matrix_a, 16, 16, 16, wmma::half, wmma::row_major> a;
wmma::fragment<1, wmma::matrix_b, 16, 16, 16, wmma::half, wmma::col_major> b;
wmma::fragment<2, wmma::accumulator, 16, 16, 16, float> c;
alignas(16) wmma::half halves[256];
alignas(16) float sums[256];
volatile unsigned words[32];

}  // namespace

#define CASE(name) __attribute__((noinline)) static void name([[maybe_unused]] bool bug)

CASE(without_a) {
  wmma::fill_fragment(c, 0.0f);
  wmma::load_matrix_sync(b, halves, 16);
  if (!bug) wmma::load_matrix_sync(a, halves, 16);
  wmma::mma_sync(c, a, b, c); /* without_a */
}

CASE(without_b) {
  wmma::fill_fragment(c, 0.0f);
  wmma::load_matrix_sync(a, halves, 16);
  if (!bug) wmma::load_matrix_sync(b, halves, 16);
  wmma::mma_sync(c, a, b, c); /* without_b */
}

CASE(without_sums) {
  wmma::load_matrix_sync(a, halves, 16);
  wmma::load_matrix_sync(b, halves, 16);
  if (!bug) wmma::load_matrix_sync(c, sums, 16, wmma::mem_row_major);
  wmma::mma_sync(c, a, b, c); /* without_sums */
}

CASE(sums_set_in_part) {
  wmma::set_register<0>(c, 1.0f);
  if (!bug) wmma::fill_fragment(c, 1.0f);
  wmma::store_matrix_sync(sums, c, 16, wmma::mem_row_major); /* sums_set_in_part */
}

CASE(register_never_set) {
  wmma::set_register<0>(c, 1.0f);
  if (!bug) wmma::set_register<5>(c, 1.0f);
  words[0] = static_cast<unsigned>(wmma::get_register<5>(c)); /* register_never_set */
}

CASE(asked_behind_a_branch) {
  const unsigned lane = simt_lane(), lower = bug ? lane < simt_lanes() / 2 : 1;
  SIMT_IF(lower)
  words[lane] = spica::shuffle(lane, lane + simt_lanes() / 2); /* asked_behind_a_branch */
  SIMT_END_IF
}

CASE(broadcast_of_an_absent_lane) {
  const unsigned lane = simt_lane(), some = lane != 0;
  SIMT_IF(some)
  words[lane] = spica::broadcast(lane, bug ? 0 : 3); /* broadcast_of_an_absent_lane */
  SIMT_END_IF
}

using Case = void (*)(bool);
static const Case cases[] = {without_a,
                             without_b,
                             without_sums,
                             sums_set_in_part,
                             register_never_set,
                             asked_behind_a_branch,
                             broadcast_of_an_absent_lane};

static void task(unsigned, void*) { cases[arguments.number](arguments.bug != 0); }

int main() {
  if (simt_core() == 0) spawn_tasks(simt_lanes(), task, nullptr);
  return 0;
}
