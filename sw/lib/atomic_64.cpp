// SPDX-License-Identifier: Apache-2.0
// Atomic operations of 64 bits, which compilers call where a machine has instructions for words only. A lock guards the
// number; the lanes of a warp take turns.
#include <stdint.h>

#include "lock.h"
#include "simt.h"

namespace {

struct alignas(64) LineLock : Lock {};
LineLock locks[16];  // for numbers by their addresses

struct Turn {
  volatile uint64_t* at;
  uint64_t value, expected;
};

/// `change(number, turn)`: what to store.
template <class Change>
uint64_t in_turn(volatile void* at, uint64_t value, uint64_t expected, Change) {
  Turn turn{static_cast<volatile uint64_t*>(at), value, expected};
  simt_each_lane(
      [](void* argument) {
        auto& mine = *static_cast<Turn*>(argument);
        Lock& lock = locks[reinterpret_cast<uintptr_t>(mine.at) / 8 % 16];
        lock.take();
        simt_fence();
        const uint64_t old = *mine.at;
        *mine.at = Change()(old, mine);
        lock.give();
        mine.value = old;
      },
      &turn);
  return turn.value;
}

}  // namespace

#define FETCH(name, change)                                                        \
  uint64_t __atomic_##name##_8(volatile void* at, uint64_t value, int) {           \
    struct Change {                                                                \
      uint64_t operator()(uint64_t old, const Turn& turn) const { return change; } \
    };                                                                             \
    return in_turn(at, value, 0, Change());                                        \
  }

extern "C" {

FETCH(fetch_add, old + turn.value)
FETCH(fetch_sub, old - turn.value)
FETCH(fetch_and, old& turn.value)
FETCH(fetch_or, old | turn.value)
FETCH(fetch_xor, old ^ turn.value)
FETCH(fetch_nand, ~(old& turn.value))
FETCH(exchange, ((void)old, turn.value))

void __atomic_store_8(volatile void* at, uint64_t value, int order) {
  (void)__atomic_exchange_8(at, value, order);
}

uint64_t __atomic_load_8(const volatile void* at, int order) {
  return __atomic_fetch_or_8(const_cast<volatile void*>(at), 0, order);
}

// gcc knows a function of that name with one more argument.
bool compare_exchange(volatile void*, void*, uint64_t, int, int) __asm__("__atomic_compare_exchange_8");
bool compare_exchange(volatile void* at, void* expected, uint64_t value, int, int) {
  struct Change {
    uint64_t operator()(uint64_t old, const Turn& turn) const {
      return old == turn.expected ? turn.value : old;
    }
  };
  uint64_t& wanted = *static_cast<uint64_t*>(expected);
  const uint64_t old = in_turn(at, value, wanted, Change()), asked = wanted;
  wanted = old;
  return old == asked;
}

}  // extern "C"
