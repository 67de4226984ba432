// SPDX-License-Identifier: Apache-2.0
// Numbers of 16 bits: conversions, arithmetic, comparisons and vectors, from values that the test has loaded; and
// atomic operations of 64 bits.
#include <spawn.h>
#include <spica/simt.h>

constexpr unsigned kCount = 4096;
using half4 = _Float16 __attribute__((vector_size(8)));

extern "C" {
_Float16 a[kCount], b[kCount];
float x[kCount];
double d[kCount];

float from_half[65536], from_bfloat[65536];
_Float16 to_half[kCount], to_half_d[kCount], sum[kCount], difference[kCount], product[kCount],
    quotient[kCount], from_int[kCount];
__bf16 to_bfloat[kCount], to_bfloat_d[kCount], bfloat_product[kCount];
half4 vectors[kCount / 4];
unsigned char relations[kCount];
int to_int[kCount];

long long total, masks[3] = {-1, 0, 0}, swapped, least, greatest = -1;
unsigned long long slots[8];
double real;
unsigned stored;
}

static void convert(unsigned id, void*) {
  for (unsigned bits = id; bits < 65536; bits += spica::threads()) {
    const auto word = static_cast<uint16_t>(bits);
    _Float16 half;
    __bf16 bfloat;
    __builtin_memcpy(&half, &word, 2);
    __builtin_memcpy(&bfloat, &word, 2);
    from_half[bits] = half;
    from_bfloat[bits] = bfloat;
  }
  for (unsigned i = id; i < kCount; i += spica::threads()) {
    to_half[i] = static_cast<_Float16>(x[i]);
    to_half_d[i] = static_cast<_Float16>(d[i]);
    to_bfloat[i] = static_cast<__bf16>(x[i]);
    to_bfloat_d[i] = static_cast<__bf16>(d[i]);
    bfloat_product[i] = to_bfloat[i] * static_cast<__bf16>(1.5f);
    sum[i] = a[i] + b[i];
    difference[i] = a[i] - b[i];
    product[i] = a[i] * b[i];
    quotient[i] = a[i] / b[i];
    from_int[i] = static_cast<_Float16>(static_cast<int>(i * 31) - 60000);
    relations[i] = static_cast<unsigned char>((a[i] < b[i]) | (a[i] <= b[i]) << 1 | (a[i] == b[i]) << 2 |
                                              (a[i] != b[i]) << 3 | (a[i] > b[i]) << 4);
    if (a[i] > b[i]) to_int[i] = static_cast<int>(a[i] - b[i]);  // lanes part
    else to_int[i] = -static_cast<int>(b[i] - a[i]);
  }
  for (unsigned i = id; i < kCount / 4; i += spica::threads()) {
    half4 u, v;
    __builtin_memcpy(&u, a + 4 * i, 8);
    __builtin_memcpy(&v, b + 4 * i, 8);
    vectors[i] = u * v + u;
  }
}

static void count(unsigned id, void*) {
  const long long mine = static_cast<long long>(id) << 30 | id;
  __atomic_fetch_add(&total, mine, __ATOMIC_RELAXED);
  __atomic_fetch_and(&masks[0], ~(1ll << id % 64), __ATOMIC_RELAXED);
  if (id % 2 != 0) __atomic_fetch_or(&masks[1], 1ll << id % 64, __ATOMIC_RELAXED);
  __atomic_fetch_xor(&masks[2], mine, __ATOMIC_RELAXED);
  __atomic_fetch_sub(&swapped, -mine, __ATOMIC_RELAXED);
  spica::atomic_min(&least, -mine);
  if (id % 3 == 0) __atomic_fetch_max(&greatest, mine, __ATOMIC_RELAXED);
  spica::atomic_add(&real, 0.25 * id);
  unsigned long long free = 0;
  const unsigned slot = id % 8;
  if (__atomic_compare_exchange_n(&slots[slot], &free, static_cast<unsigned long long>(mine) + 1, false,
                                  __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    spica::atomic_add(&stored, 1u);
}

int main() {
  spawn_tasks(spica::threads(), convert, nullptr);
  simt_barrier(0, 1);
  spawn_tasks(256, count, nullptr);
  simt_barrier(0, 1);
  return 0;
}
