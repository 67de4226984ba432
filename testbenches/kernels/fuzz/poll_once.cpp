// SPDX-License-Identifier: Apache-2.0
// One poll of the busy bit directly behind a command, by every path: is the work over when the bit reads 0? Commands
// come through CSR 0xACC or registers, polls through a register (matrix_unit_fence) or the CSR. The exit code has a
// bit for each pair of paths for which it was not, see works(). For the configuration virgo.
#include <matrix_unit.h>
#include <platform.h>
#include <simt.h>

namespace {

using Word = volatile unsigned;

constexpr unsigned kUnit = 0, kTile = 64, kBlocks = kTile / MATRIX_UNIT_DIM,
                   kRows = PLATFORM_SHARED_SIZE / 32;
alignas(64) unsigned matrix[kTile * kTile];

Word* shared(unsigned word) { return reinterpret_cast<Word*>(PLATFORM_SHARED_BASE) + word; }

void settings() {
  matrix_unit_config_execute(kUnit);
  matrix_unit_config_load(kUnit, 0, kTile * 4);
  matrix_unit_config_load(kUnit, 1, kTile * 4);
  const unsigned address = static_cast<unsigned>(reinterpret_cast<uintptr_t>(matrix));
  for (unsigned slot = 0; slot < 2; ++slot) {  // a loop without effect but that the other slot is next
    matrix_unit_loop_address_ab(kUnit, address, address);
    matrix_unit_loop_stride_ab(kUnit, kTile, kTile);
    matrix_unit_loop_bounds(kUnit, kBlocks, kBlocks, kBlocks);
    matrix_unit_loop_spad_ab(kUnit, 0, kRows);
    matrix_unit_loop(kUnit, 0x2F8, 0, 0);
  }
}

/// What A's tile in shared memory should hold when it is loaded.
bool loaded() {
  for (unsigned word = 0; word < kTile * kTile; word += kTile - 1)
    if (*shared(word) == 0) return false;
  return *shared(kTile * kTile - 1) != 0;
}

// A command and, as the very next instruction, the poll; then the loop of matrix_unit_fence().
#define REGISTER_POLL(command)                                                                \
  __asm__ volatile(command "\n1:\tlw t0, 0x20(%0)\n\tbnez t0, 1b" ::"r"(registers), "r"(word) \
                   : "t0", "memory")
#define CSR_POLL(command) \
  __asm__ volatile(command "\n1:\tcsrr t0, 0xACC\n\tbnez t0, 1b" ::"r"(registers), "r"(word) : "t0", "memory")

/// `path`: bit 0: the command goes through a register, else through the CSR; bit 1: the poll goes through the CSR.
bool works(unsigned path) {
  bool there = false;
  for (unsigned round = 0; round < 2; ++round) {  // the second one finds the code in the cache
    for (unsigned at = 0; at < kTile * kTile; at += kTile - 1) *shared(at) = 0;
    *shared(kTile * kTile - 1) = 0;
    simt_fence();
    volatile unsigned* const registers = matrix_unit_register(kUnit, 0);
    if ((path & 1) == 0) {
      const unsigned word = MATRIX_UNIT_Q_LOAD_0;
      if ((path & 2) == 0) REGISTER_POLL("csrw 0xACC, %1");
      else CSR_POLL("csrw 0xACC, %1");
    } else {
      *matrix_unit_register(kUnit, MATRIX_UNIT_RS1_LO) = 0;
      *matrix_unit_register(kUnit, MATRIX_UNIT_RS1_HI) = 0;
      *matrix_unit_register(kUnit, MATRIX_UNIT_RS2_LO) = MATRIX_UNIT_SKIPS_LOAD_ONLY;
      *matrix_unit_register(kUnit, MATRIX_UNIT_RS2_HI) = 0;
      const unsigned word = MATRIX_UNIT_INSTRUCTION_BASE | MATRIX_UNIT_RS2_FIELD |
                            MATRIX_UNIT_LOOP_WS << MATRIX_UNIT_FUNCTION_SHIFT;
      if ((path & 2) == 0) REGISTER_POLL("sw %1, 0(%0)");
      else CSR_POLL("sw %1, 0(%0)");
    }
    there = loaded();
    for (unsigned i = 0; i < 100; ++i) matrix_unit_fence(kUnit);  // in any case
  }
  return there;
}

}  // namespace

int main() {
  if (simt_core() != 0) return 0;
  for (unsigned word = 0; word < kTile * kTile; ++word) matrix[word] = word + 1;
  simt_fence();
  settings();
  for (unsigned i = 0; i < 100; ++i) matrix_unit_fence(kUnit);
  unsigned wrong = 0;
  for (unsigned path = 0; path < 4; ++path) wrong |= works(path) ? 0 : 1u << path;
  return static_cast<int>(wrong);
}
