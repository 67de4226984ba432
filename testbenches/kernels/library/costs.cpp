// SPDX-License-Identifier: Apache-2.0
// What the functions of <spica/simt.h> cost when a warp that is alone on its core calls them eight times in a row, and
// uses each result (one of the instructions): instructions of a lane, and cycles. Caches are warm. And what those of
// <spica/matrix.h> cost the lane that drives the unit, while that has nothing else to do.
#include <math.h>
#include <spawn.h>
#include <spica/matrix.h>
#include <spica/simt.h>
#include <stdio.h>

namespace {

struct Cost {
  const char* name;
  unsigned instructions, cycles;
};
Cost costs[64];
unsigned measured;
unsigned word, words[64];
float sums[64];

/// Waits for it.
template <class T>
SIMT_INLINE void use(T value) {
  __asm__ volatile("mv x0, %0" ::"r"(spica::detail::word_of(value)));
}

SIMT_INLINE void use(uint64_t value) {
  __asm__ volatile("mv x0, %0\n\tmv x0, %1" ::"r"(static_cast<unsigned>(value)),
                   "r"(static_cast<unsigned>(value >> 32)));
}
SIMT_INLINE void use(double value) {
  uint64_t bits;
  __builtin_memcpy(&bits, &value, sizeof bits);
  use(bits);
}

constexpr unsigned kCalls = 8;

template <class Function>
SIMT_INLINE void measure(const char* name, Function function) {
  unsigned instructions[2] = {}, cycles[2] = {};
  for (unsigned round = 0; round < 3; ++round)  // the last one finds its code in the caches
    for (unsigned i = 0; i < 2; ++i) {
      simt_fence();
      (void)simt_mask();
      const unsigned begin = simt_instructions(), start = simt_cycle();
      if (i != 0) {
#pragma GCC unroll 8
        for (unsigned call = 0; call < kCalls; ++call) function();
      }
      cycles[i] = simt_cycle() - start;
      instructions[i] = simt_instructions() - begin;
    }
  SIMT_IF(simt_lane() == 0)
  costs[measured++] = {name, (instructions[1] - instructions[0]) / kCalls / simt_lanes(),
                       (cycles[1] - cycles[0]) / kCalls};
  SIMT_END_IF
}
#define MEASURE(expression) measure(#expression, [&]() __attribute__((always_inline)) { use(expression); })

/// A number of 64 bits that the compiler must take anew.
template <class T>
SIMT_INLINE T anew(T value) {
  unsigned parts[2];
  __builtin_memcpy(parts, &value, sizeof parts);
  __asm__ volatile("" : "+r"(parts[0]), "+r"(parts[1]));
  __builtin_memcpy(&value, parts, sizeof value);
  return value;
}
#define MEASURE_WIDE(a, operation, b) \
  measure(#a " " #operation " " #b, [&]() __attribute__((always_inline)) { use(anew(a) operation b); })

void task(unsigned id, void*) {
  using namespace spica;
  const bool condition = id % 3 == 0;
  const unsigned value = id * 7;
  const float number = static_cast<float>(id) * 0.3f + 0.1f;
  MEASURE(any(condition));
  MEASURE(ballot(condition));
  MEASURE(count(condition));
  MEASURE(rank(condition));
  MEASURE(elect());
  MEASURE(shuffle(value, id ^ 3));
  MEASURE(broadcast(value, 1));
  MEASURE(sum(value));
  MEASURE(sum(number));
  MEASURE(inclusive_sum(value));
  MEASURE(exclusive_sum(value));
  MEASURE(atomic_add(&word, 1u));
  MEASURE(atomic_max(words + id, value));
  MEASURE(atomic_add(sums + id, number));
  MEASURE(atomic_compare_exchange(words + id, 0u, value));
  const double real = number, other = 1.5 + id;
  const uint64_t wide = (static_cast<uint64_t>(value) << 32) + 12345, divisor = value + 7;
  MEASURE_WIDE(real, +, other);
  MEASURE_WIDE(real, *, other);
  MEASURE_WIDE(real, /, other);
  MEASURE_WIDE(wide, /, divisor);
}

struct Shared {
  spica::Tile<float, 64, 64> a, b;
};
float matrix[64 * 64];

template <class Function>
SIMT_INLINE void measure_start(const char* name, spica::MatrixUnit<>& unit, Function function) {
  unsigned instructions = 0, cycles = 0;
  for (unsigned round = 0; round < 3; ++round) {
    unit.wait();
    const unsigned begin = simt_instructions(), start = simt_cycle();
    (void)function();
    cycles = simt_cycle() - start;
    instructions = simt_instructions() - begin - 2;  // of the counters themselves
  }
  costs[measured++] = {name, instructions, cycles};
}
#define MEASURE_START(expression) \
  measure_start(#expression, unit, [&]() __attribute__((always_inline)) { return expression; })

void drive(unsigned, void*) {
  auto& s = spica::shared<Shared>();
  const spica::Matrix<float> m{matrix, 64};
  spica::MatrixUnit unit;
  spica::Accumulator<float, 64, 64> c;
  MEASURE_START(unit.load(s.a, m, s.b, m));
  MEASURE_START(unit.load(s.a, m));
  MEASURE_START(unit.mma(c, s.a, s.b));
  MEASURE_START(unit.store(m, c));
  MEASURE_START(unit.store(s.a, c));
  MEASURE_START(unit.copy_async(s.a.elements, matrix, 512));
  unit.wait();
}

}  // namespace

int main() {
  if (simt_core() != 0) return 0;
  spawn_tasks(simt_lanes(), task, nullptr);
  spawn_tasks(1, drive, nullptr);
  printf("%-50s instructions  cycles\n", "function");
  for (unsigned i = 0; i < measured; ++i)
    printf("%-50s %12u %7u\n", costs[i].name, costs[i].instructions, costs[i].cycles);
  return 0;
}
