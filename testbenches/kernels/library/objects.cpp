// SPDX-License-Identifier: Apache-2.0
// The library beyond printing, from lanes, warps and cores that differ: headers, heap, new and delete, constructors and
// destructors of objects with static storage. Prints what library_test.py looks for.
#include <simt.h>
#include <spawn.h>
#include <algorithm>
#include <array>
#include <cassert>
#include <cfloat>
#include <climits>
#include <cmath>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <new>
#include <type_traits>
#include <utility>
static_assert(std::numeric_limits<int>::max() == 2147483647 &&
              std::numeric_limits<int>::min() == -2147483647 - 1);
static_assert(std::numeric_limits<uint8_t>::max() == 255 && std::numeric_limits<long long>::min() < 0);
static_assert(std::is_same_v<std::decay_t<const int (&)[3]>, const int*>);
static_assert(std::is_same_v<std::decay_t<int(int)>, int (*)(int)>);
static_assert(std::is_convertible_v<int, float> && !std::is_convertible_v<int*, int>);
static_assert(std::is_function_v<void()> && !std::is_function_v<int> && std::is_pointer_v<int* const>);
static_assert(std::max(1, 2) == 2 && std::clamp(5, 1, 3) == 3 && std::min({3, 1, 2}) == 1);
static_assert(std::is_same_v<std::make_unsigned_t<int>, unsigned>);
static_assert(std::is_same_v<std::make_index_sequence<3>, std::index_sequence<0, 1, 2>>);
constexpr std::array sorted = [] {
  std::array a{3, 1, 2, 9, -4};
  std::sort(a.begin(), a.end());
  return a;
}();
static_assert(sorted[0] == -4 && sorted[4] == 9 && sorted.size() == 5);
struct G {
  int v;
  G(int x) : v(x) {}
  ~G() { printf("destroyed %d on core %u\n", v, simt_core()); }
};
G one{1};
G two{2};
static unsigned* blocks[4096];
static unsigned bad;
static void task(unsigned id, void*) {
  auto [a, b] = std::pair{id, 2 * id};
  unsigned m = std::min(a, 7u), M = std::max(b, 9u);
  assert(m <= 7u && M >= 9u);
  float f = std::max(float(id), 3.5f);
  assert((f >= 3.5f) & ((f == 3.5f) | (id > 3)));
  const unsigned n = 1 + id % 13;
  blocks[id] = (unsigned*)malloc(n * 4);
  unsigned i = 0;
  SIMT_WHILE(i < n) blocks[id][i] = id * 1000 + i;
  ++i;
  SIMT_END_WHILE
}
static void check(unsigned id, void*) {
  const unsigned n = 1 + id % 13;
  unsigned i = 0, wrong = 0;
  SIMT_WHILE(i < n) wrong |= blocks[id][i] != id * 1000 + i;
  ++i;
  SIMT_END_WHILE
  wrong |= ((uintptr_t)blocks[id] & 15) != 0;
  __atomic_fetch_or(&bad, wrong, __ATOMIC_RELAXED);
  SIMT_IF((id & 1) != 0) free(blocks[id]);
  SIMT_ELSE blocks[id] = (unsigned*)realloc(blocks[id], 400);
  SIMT_END_IF
  SIMT_IF((id & 1) == 0)
  i = 0;
  wrong = 0;
  SIMT_WHILE(i < n) wrong |= blocks[id][i] != id * 1000 + i;
  ++i;
  SIMT_END_WHILE
  __atomic_fetch_or(&bad, wrong, __ATOMIC_RELAXED);
  free(blocks[id]);
  SIMT_END_IF
}
int main() {
  spawn_tasks(300, task, nullptr);
  simt_barrier(0, 1);
  spawn_tasks(300, check, nullptr);
  simt_barrier(0, 1);
  if (simt_core() != 0) return 0;
  static G local{3};
  void* all = malloc(0x4000000 - 64);
  void* none = malloc(64);
  printf("bad %u all %d none %d\n", bad, all != nullptr, none == nullptr);
  free(all);
  int* p = new int[5]{1, 2, 3, 4, 5};
  int s = 0;
  for (int i = 0; i < 5; ++i) s += p[i];
  delete[] p;
  struct alignas(64) A {
    char c;
  };
  A* al = new A;
  printf("sum %d aligned %d\n", s, ((uintptr_t)al & 63) == 0);
  delete al;
  printf("nothrow %d\n", new (std::nothrow) char[0x5000000] == nullptr);
  return 0;
}
