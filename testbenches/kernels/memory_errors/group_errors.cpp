// SPDX-License-Identifier: Apache-2.0
// Work groups that access shared memory which is not theirs, one case each, and with bug = 0 the same accesses inside:
// memory_errors_test.py knows the finding in the line with the mark. A part has 400 bytes, with 112 more to a multiple
// of 128: for the configuration virgo with asynchronous copies.
#include <arguments.h>
#include <matrix_unit.h>
#include <pipeline.h>
#include <simt.h>
#include <spica/group.h>

struct Arguments {
  uint32_t number, bug;
};
KERNEL_ARGUMENTS(Arguments, arguments) = {0, 0};

namespace {

constexpr unsigned kBytes = 400, kPart = 512;
alignas(64) unsigned operand[64 * 64];

/// Stores, and is different for each line: of equal stores in several branches the compiler makes one, which has no
/// line.
#define STORE(to, value)                      \
  do {                                        \
    (to) = value;                             \
    __asm__ volatile("# %0" ::"i"(__LINE__)); \
  } while (false)

/// One block of DIM x DIM elements to row `to` of shared memory.
void load_block(unsigned to) {
  const unsigned driver = spica::group_thread() == 0;
  SIMT_IF(driver)
  matrix_unit_config_execute(0);
  matrix_unit_config_load(0, 0, 64 * 4);
  matrix_unit_fence(0);
  const auto from = static_cast<unsigned>(reinterpret_cast<uintptr_t>(operand));
  const uint64_t size = (8u << MATRIX_UNIT_COLUMNS_HI_SHIFT | 8u << MATRIX_UNIT_ROWS_HI_SHIFT);
  matrix_unit_command(0, MATRIX_UNIT_MVIN, from, size << 32 | to); /* moved */
  for (unsigned i = 0; i < 4; ++i) matrix_unit_fence(0);
  SIMT_END_IF
}

}  // namespace

extern "C" void cases(const Arguments* a) {
  auto* const shared = spica::group_shared<volatile unsigned>();
  const unsigned thread = spica::group_thread(), bug = a->bug;
  unsigned at = thread;
  if (a->number == 0) {
    at += bug != 0 ? kBytes / 4 - 7 : kBytes / 4 - 8;
    STORE(shared[at], thread); /* rounded_up */
  } else if (a->number == 1) {
    at += bug != 0 ? kPart / 4 : 0;
    STORE(shared[at], thread); /* neighbour */
  } else if (a->number == 2) {
    at += bug != 0 ? 12 * 1024 : 0;
    STORE(shared[at], thread); /* nobody */
  } else {
    at += bug != 0 ? kPart / 4 : 0;
    pipeline_memcpy_async<4>(const_cast<unsigned*>(shared + at), &operand[thread]); /* copied */
    pipeline_commit();
    pipeline_wait_prior<0>();
  }
}
SPICA_KERNEL(cases, 8, kBytes);

extern "C" void moves(const Arguments* a) {
  const auto first = static_cast<unsigned>(reinterpret_cast<uintptr_t>(spica::group_shared<unsigned>()));
  load_block((first - PLATFORM_SHARED_BASE) / 32 + (a->bug != 0 ? 8 : 0));
}
SPICA_KERNEL(moves, 8, kBytes);
SPICA_KERNEL_OWNS_MATRIX_UNIT(moves);
