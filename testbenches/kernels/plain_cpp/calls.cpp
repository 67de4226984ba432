// SPDX-License-Identifier: Apache-2.0
// Calls where lanes have parted, through pointers that differ, and more levels than the SIMT stack has.
#include "harness.h"

static NOINLINE unsigned greatest_divisor(unsigned a, unsigned b) {
  while (b != 0) {
    const unsigned rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}
static NOINLINE unsigned halvings(unsigned n) { return n < 2 ? 1 : 1 + halvings(n / 2); }

static unsigned calls(unsigned id) {
  unsigned value = 0;
  if ((id & 1) != 0) value = greatest_divisor(id * 18, 120) + 1;
  else if ((id & 4) != 0) value = greatest_divisor(id, 48) * halvings(id & 31);
  return value;
}

static unsigned deep(unsigned id) {
  unsigned value = 1;
  if ((id & 1) != 0) {
    value += 3;
    if ((id & 2) != 0) {
      value *= 5;
      if ((id & 4) != 0) {
        value += greatest_divisor(id, 10);
        if ((id & 8) != 0) {
          value ^= 0x55;
          if ((id & 16) != 0) value += greatest_divisor(id, 21);
          else value *= 3;
        } else {
          value += table[id & 63];
        }
      }
    } else {
      value += greatest_divisor(id, 6);
    }
  }
  return value;
}

// Deeper than the SIMT stack, which has seven entries: within one function, and by recursion.
static unsigned nine_within_each_other(unsigned id) {
  unsigned x = scramble(id), sum = 0;
  if ((x & 0x1) == 0 || id % 2 == 0) {
    sum += 1;
    if ((x & 0x6) != 0) {
      sum += x >> 20;
      if ((x & 0x18) != 0) {
        sum *= 3;
        if ((x & 0x60) != 0) {
          sum += x >> 21;
          if ((x & 0x180) != 0) {
            sum *= 5;
            if ((x & 0x600) != 0) {
              sum += x >> 22;
              for (unsigned i = 0; i < x % 5; ++i) {
                if ((sum + i & 3) != 0) {
                  sum = sum * 7 + i;
                  if ((sum & 0x30) != 0) {
                    sum ^= table[sum & 63];
                    if ((sum & 0xC0) != 0) table[sum & 63] == 1 ? sum += 2 : sum += 9;
                    else sum -= 5;
                  }
                } else {
                  sum -= 3;
                }
              }
            }
          } else {
            sum ^= 0x77;
          }
        }
      }
    }
  }
  return sum;
}

static NOINLINE unsigned fibonacci(unsigned n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

static unsigned recursion(unsigned id) { return fibonacci(id % 11); }

using Operation = unsigned (*)(unsigned);
static NOINLINE unsigned odd_or_even(unsigned x) { return (x & 1) != 0 ? x * 3 : x + 7; }
static NOINLINE unsigned bits(unsigned x) {
  unsigned count = 0;
  for (; x != 0; x &= x - 1) ++count;
  return count;
}
static NOINLINE unsigned plain(unsigned x) { return x ^ 0x1234; }
static Operation volatile operations[3] = {odd_or_even, bits, plain};

static unsigned pointers(unsigned id) {  // first the same in all lanes, then not
  unsigned sum = operations[1](id * 99);
  sum = sum * 64 + operations[id % 3](id);
  if (id % 4 == 1) sum += operations[(id / 4) % 3](sum);
  return sum;
}

struct Animal {
  virtual unsigned legs(unsigned id) const { return id % 3; }
  virtual ~Animal() = default;
};
struct Bird : Animal {
  unsigned legs(unsigned id) const override { return id > 30 ? 2 : 1; }
};
static unsigned virtual_calls(unsigned id) {
  const Animal animal;
  const Bird bird;
  const Animal* const one = id % 5 < 2 ? &animal : static_cast<const Animal*>(&bird);
  return one->legs(id) + 10 * bird.legs(id + 1);
}

static void program(unsigned id, unsigned* out) {
  *out++ = calls(id);
  *out++ = deep(id);
  *out++ = nine_within_each_other(id);
  *out++ = recursion(id);
  *out++ = pointers(id);
  *out++ = virtual_calls(id);
}
PROGRAM_MAIN(6, program)
