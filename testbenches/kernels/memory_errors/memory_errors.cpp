// SPDX-License-Identifier: Apache-2.0
// One memory error per case, and with bug = 0 the same program without it: memory_errors_test.py knows the kind that
// must be found in the line with the mark /* case */. For the configuration virgo.
#include <arguments.h>
#include <matrix_unit.h>
#include <platform.h>
#include <simt.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>

struct Arguments {
  uint32_t number, bug;
};
KERNEL_ARGUMENTS(Arguments, arguments) = {0, 0};

#define CASE(name) __attribute__((noinline)) static void name([[maybe_unused]] unsigned bug)

using Word = volatile unsigned;
using Byte = volatile unsigned char;

alignas(64) static unsigned char odd[61];
alignas(64) static unsigned full[64];
alignas(64) static unsigned counts[61];
alignas(64) static unsigned matrix_a[64 * 64], matrix_b[64 * 64], matrix_c[64 * 64];
// Of a program's own .bss the first one is at a multiple of 4096: the lower part of its address is 0.
__asm__(
    ".pushsection .bss.page,\"aw\",@nobits\n.balign 4096\n.type page,@object\n.size page,64\npage: .zero 64\n"
    ".type behind_page,@object\n.size behind_page,64\nbehind_page: .zero 64\n.popsection");
#define PAGE(code)                                                                                       \
  __asm__ volatile(".option push\n.option norelax\n" code "\n.option pop" : "=&r"(words), "=&r"(upper)); \
  (void)upper
#define STORE_TO_PAGE \
  ".option push\n.option norelax\nlui %0,%%hi(page)\nadd %0,%0,%1\nsw x0,%%lo(page)(%0)\n.option pop"
static const unsigned table[8] = {1, 2, 3, 4, 5, 6, 7, 8};
static unsigned plain[8];
static Word sink;
static Word index = 3;

static unsigned address(const void* of) { return static_cast<unsigned>(reinterpret_cast<uintptr_t>(of)); }
template <class T>
static T* hidden(T* pointer) {  // from the compiler
  __asm__ volatile("" : "+r"(pointer));
  return pointer;
}

CASE(code_written) {
  auto* const code = hidden(reinterpret_cast<Word*>(&address));
  const unsigned old = *code;
  *(bug ? code : static_cast<Word*>(plain)) = old; /* code_written */
}

CASE(constant_written) {
  Word* const words = bug ? const_cast<unsigned*>(hidden(table)) : plain;
  words[index] = 4; /* constant_written */
}

CASE(behind_object) {
  Byte* const bytes = hidden(odd);
  bytes[index + (bug ? 58 : 57)] = 1; /* behind_object */
}

CASE(behind_into_next) {
  Word* const words = hidden(full);
  words[index + (bug ? 61 : 60)] = 1; /* behind_into_next */
  sink = full[2];
}

CASE(page_in_one_register) {
  Word *words, *upper;
  PAGE("lui %0,%%hi(page)\naddi %0,%0,%%lo(page)");
  words[index + (bug ? 13 : 12)] = 1; /* page_in_one_register */
}

CASE(page_in_two_registers) {
  Word *words, *upper;
  PAGE("lui %1,%%hi(page)\naddi %0,%1,%%lo(page)");
  words[index + (bug ? 13 : 12)] = 1; /* page_in_two_registers */
}

CASE(page_by_pc) {
  Word *words, *upper;
  PAGE("1: auipc %1,%%pcrel_hi(page)\naddi %0,%1,%%pcrel_lo(1b)");
  words[index + (bug ? 13 : 12)] = 1; /* page_by_pc */
}

CASE(page_of_the_access) {
  const unsigned at = (index + (bug ? 13 : 12)) * 4;
  unsigned place;
  /* page_of_the_access */ __asm__ volatile(STORE_TO_PAGE : "=&r"(place) : "r"(at) : "memory");
}

CASE(page_at_a_distance) {
  Word *words, *upper;
  PAGE("lui %1,%%hi(page)\naddi %0,%1,%%lo(page)");
  words[0] = 1;
  if (bug) words[16] = 1; /* page_at_a_distance */
}

CASE(page_proven_later) {
  Word *words, *upper;
  PAGE("lui %1,%%hi(page)\naddi %0,%1,%%lo(page)");
  if (bug) words[17] = 1; /* page_proven_later */
  words[0] = 1;
}

CASE(before_object) {
  Word* const words = hidden(counts);
  sink = words[index] + words[static_cast<int>(index) - (bug ? 4 : 3)]; /* before_object */
}

CASE(behind_constant) {
  const Word* const words = hidden(table);
  sink = words[index] + words[index + (bug ? 5 : 4)]; /* behind_constant */
}

CASE(copied_too_far) {
  memcpy(hidden(counts), hidden(full), 61 * 4);
  memcpy(hidden(counts), hidden(full), (bug ? 62 : 61) * 4); /* copied_too_far */
  sink = counts[0];
}

CASE(across_end) {
  auto* const words = reinterpret_cast<Word*>(hidden(odd));
  sink = words[index + (bug ? 12 : 11)]; /* across_end */
}

static void count(unsigned id, void* bug) {
  Word* const words = hidden(counts);
  words[id + (bug != nullptr ? 54 : 53)] = id; /* lane_behind_object */
}
CASE(lane_behind_object) { spawn_tasks(8, count, bug != 0 ? plain : nullptr); }

CASE(behind_block) {
  auto* const words = static_cast<Word*>(malloc(24));
  void* const next = malloc(24);
  words[index + (bug ? 3 : 2)] = 1; /* behind_block */
  free(next);
}

CASE(before_block) {
  void* const first = malloc(24);
  auto* const words = static_cast<Word*>(malloc(24));
  words[0] = 1;
  sink = words[static_cast<int>(index) - (bug ? 4 : 3)]; /* before_block */
  free(first);
}

CASE(after_free) {
  auto* const words = static_cast<Word*>(malloc(240));
  words[20] = 1;
  if (bug) free(const_cast<unsigned*>(words));
  sink = words[20]; /* after_free */
}

CASE(unwritten_heap) {
  auto* const words = static_cast<Word*>(malloc(240));
  if (!bug) words[index] = 1;
  sink = words[index]; /* unwritten_heap */
}

CASE(unwritten_stack) {
  Word words[16];
  if (!bug) words[index] = 1;
  sink = words[index]; /* unwritten_stack */
}

__attribute__((noinline)) static void leave_something() {
  Word words[16];
  for (unsigned i = 0; i < 16; ++i) words[i] = i;
  sink = words[index];
}
CASE(stale_stack) {
  leave_something();
  Word words[16];
  if (!bug) words[index] = 1;
  sink = words[index]; /* stale_stack */
}

CASE(unwritten_operand) {
  auto* const words = reinterpret_cast<Word*>(PLATFORM_OPERAND_A);
  if (!bug) words[index] = 1;
  sink = words[index]; /* unwritten_operand */
}

static void load_tile(unsigned a, bool configured) {
  matrix_unit_config_execute(0);
  if (configured) matrix_unit_config_load(0, 0, 64 * 4);
  if (configured) matrix_unit_config_load(0, 1, 64 * 4);
  matrix_unit_config_store(0, 64 * 4);
  for (unsigned slot = 0; slot < 2; ++slot) {
    matrix_unit_loop_address_ab(0, a, address(matrix_b));
    matrix_unit_loop_address_dc(0, 0, address(matrix_c));
    matrix_unit_loop_stride_ab(0, 64, 64);
    matrix_unit_loop_stride_dc(0, 64, 64);
    matrix_unit_loop_bounds(0, 64 / MATRIX_UNIT_DIM, 64 / MATRIX_UNIT_DIM, 64 / MATRIX_UNIT_DIM);
    matrix_unit_loop(0, 0x2F8, 0, 0);
  }
  matrix_unit_fence(0);
  matrix_unit_cisc(0, MATRIX_UNIT_Q_LOAD_0); /* misaligned_transfer, unconfigured_unit */
  for (unsigned i = 0; i < 4; ++i) matrix_unit_fence(0);
}
CASE(misaligned_transfer) { load_tile(address(matrix_a) + (bug ? 2 : 0), true); }
CASE(unconfigured_unit) { load_tile(address(matrix_a), !bug); }

static void (*const cases[])(unsigned) = {
    code_written,          constant_written,  behind_object,       behind_into_next,   page_in_one_register,
    page_in_two_registers, page_by_pc,        page_of_the_access,  page_at_a_distance, page_proven_later,
    before_object,         behind_constant,   copied_too_far,      across_end,         lane_behind_object,
    behind_block,          before_block,      after_free,          unwritten_heap,     unwritten_stack,
    stale_stack,           unwritten_operand, misaligned_transfer, unconfigured_unit};

int main() {
  if (simt_core() == 0) cases[arguments.number](arguments.bug);
  return 0;
}
