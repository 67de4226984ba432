// SPDX-License-Identifier: Apache-2.0
// Checks sw/lib on the machine, from lanes that differ: memory functions with a size and an
// alignment per lane, conversion of floats for printf, votes, calls one lane at a time, expf and
// logf.
//
// Arguments: none. Prints "PASS", or a line per lane and check that failed; exit code 1 then.
#include <math.h>
#include <simt.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>

static unsigned failures[256];  // one word per task, so that no two lanes write the same

static void check(unsigned id, const char* what, unsigned good) {
  SIMT_IF(!good)
    failures[id] += 1;
    printf("FAIL: task %u: %s\n", id, what);
  SIMT_END_IF
}

static unsigned bits(float value) {
  unsigned word;
  __builtin_memcpy(&word, &value, sizeof word);
  return word;
}

static unsigned char pattern(unsigned i) { return static_cast<unsigned char>(37 * i + 11); }

static void check_memory(unsigned id, unsigned size, unsigned shift, unsigned source) {
  alignas(4) unsigned char from[48], to[48];
  for (unsigned i = 0; i < 48; ++i) {
    from[i] = pattern(i);
    to[i] = 0xEE;
  }
  memcpy(to + shift, from + source, size);
  unsigned good = 1;
  for (unsigned i = 0; i < 48; ++i) {
    const unsigned inside = (i >= shift) & (i - shift < size);
    good &= to[i] == simt_select(inside, pattern(i - shift + source), 0xEE);
  }
  check(id, "memcpy", good);
  check(id, "memcmp of equal bytes", memcmp(to + shift, from + source, size) == 0);

  memmove(from + shift, from + source, size);  // they overlap, up in some lanes and down in others
  good = 1;
  for (unsigned i = 0; i < 48; ++i) {
    const unsigned inside = (i >= shift) & (i - shift < size);
    good &= from[i] == simt_select(inside, pattern(i - shift + source), pattern(i));
  }
  check(id, "memmove", good);

  memset(to + shift, static_cast<int>(id), size);
  good = 1;
  for (unsigned i = 0; i < 48; ++i) {
    const unsigned inside = (i >= shift) & (i - shift < size);
    good &= simt_select(inside, to[i] == (id & 0xFF), 1);
  }
  check(id, "memset", good);
}

// Pairs of a float and the upper and lower word of the same number as a double.
static const unsigned conversions[8][3] = {
    {0x00000000, 0x00000000, 0x00000000}, {0x80000000, 0x80000000, 0x00000000},
    {0x3FC00000, 0x3FF80000, 0x00000000}, {0xC2F6E979, 0xC05EDD2F, 0x20000000},
    {0x00000001, 0x36A00000, 0x00000000}, {0x807FFFFF, 0xB80FFFFF, 0xC0000000},
    {0x7F800000, 0x7FF00000, 0x00000000}, {0xFF7FFFFF, 0xC7EFFFFF, 0xE0000000}};

static void check_conversion(unsigned id) {
  const unsigned* const row = conversions[id & 7];
  float value;
  __builtin_memcpy(&value, row, sizeof value);
  const double wide = static_cast<double>(value);
  unsigned words[2];
  __builtin_memcpy(words, &wide, sizeof words);
  check(id, "float to double", (words[1] == row[1]) & (words[0] == row[2]));
}

static void check_votes(unsigned id) {
  const unsigned lane = id % simt_lanes(), last = simt_lanes() - 1;
  check(id, "any of one lane", simt_any(lane == last) == 1);
  check(id, "any of none", simt_any(lane > last) == 0);
  check(id, "all but one", simt_all(lane != 0) == 0);
  check(id, "all", simt_all(lane <= last) == 1);
}

struct Turn {
  unsigned id, calls, cycle, lanes;
};

static void take_turn(void* argument) {
  auto& turn = *static_cast<Turn*>(argument);
  turn.calls += 1;
  turn.cycle = simt_cycle();
  turn.lanes = simt_mask();
  for (unsigned i = 0; i < turn.id % 7; ++i) turn.calls += 2;  // a plain loop: one lane at a time
}

static void check_turns(unsigned id) {
  const unsigned before = simt_mask();
  Turn turn = {id, 0, 0, 0};
  SIMT_IF((id & 1) != 0)
    simt_each_lane(take_turn, &turn);
  SIMT_END_IF
  check(id, "calls in turn", turn.calls == (id & 1) * (1 + 2 * (id % 7)));
  check(id, "lanes of a turn", turn.lanes == (id & 1) << (id % simt_lanes()));
  check(id, "mask after the turns", simt_mask() == before);
}

struct Math {
  float x, exponential, logarithm;
};

static void compute(void* argument) {
  auto& math = *static_cast<Math*>(argument);
  math.exponential = expf(math.x);
  math.logarithm = logf(math.x);
}

static void check_math(unsigned id) {
  const float x = static_cast<float>(static_cast<int>(id) - 128) * 0.875f;  // overflow, underflow, log of < 0
  Math alone = {x, 0, 0};
  simt_each_lane(compute, &alone);
  check(id, "expf", bits(expf(x)) == bits(alone.exponential));
  check(id, "logf", bits(logf(x)) == bits(alone.logarithm));
  const float one = logf(expf(static_cast<float>(id & 31) * 0.5f)) - static_cast<float>(id & 31) * 0.5f;
  check(id, "logf of expf", fabsf(one) < 2e-6f);
}

static void task(unsigned id, void*) {
  check_memory(id, id % 21, id % 5, (id >> 2) % 5);
  check_memory(id, id % 21, 4, 8);  // all lanes can use words
  check_conversion(id);
  check_votes(id);
  check_turns(id);
  check_math(id);
}

int main() {
  const unsigned tasks = spawn_threads() < 256 ? spawn_threads() : 256;
  spawn_tasks(tasks, task, nullptr);
  spawn_barrier();
  if (simt_core() != 0) return 0;
  unsigned sum = 0;
  for (unsigned i = 0; i < tasks; ++i) sum += failures[i];
  if (sum == 0) printf("PASS: %u tasks\n", tasks);
  return sum == 0 ? 0 : 1;
}
