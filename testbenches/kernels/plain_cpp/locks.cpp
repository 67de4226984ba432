// SPDX-License-Identifier: Apache-2.0
// Locks that each lane takes for itself, in the ways that texts for GPUs and for threads teach. Each task adds its
// number to a table under a lock; `sums` has what they must come to. -DONLY=n runs the n-th alone.
#include <simt.h>
#include <spawn.h>
#include <spica/atomic.h>
#include <stdio.h>

namespace {

constexpr unsigned kTasks = 64, kKinds = 26;
unsigned locks[kKinds][8], table[kKinds][8], retries[kKinds][kTasks], serving[kKinds][8];
constexpr unsigned kSum = kTasks * (kTasks - 1) / 2;

inline unsigned place_of(unsigned id) { return id * 7 % 4; }
void take(unsigned* lock) {
  while (spica::atomic_exchange(lock, 1u) != 0) {
  }
}
void give(unsigned* lock) {
  simt_fence();
  spica::atomic_exchange(lock, 0u);
}
bool try_take(unsigned* lock) { return spica::atomic_exchange(lock, 1u) == 0; }
__attribute__((noinline)) bool try_take_apart(unsigned* lock) {
  return spica::atomic_exchange(lock, 1u) == 0;
}
__attribute__((noinline)) void take_apart(unsigned* lock) { take(lock); }
__attribute__((noinline)) void give_apart(unsigned* lock) { give(lock); }
/// Takes time, and parts lanes while a lock is held.
void add(unsigned* at, unsigned id) {
  unsigned sum = *const_cast<volatile unsigned*>(at);
  for (unsigned i = 0; i < id % 5; ++i) sum += i & 1 ? 3 : -3;
  for (unsigned i = 0; i < id % 5; ++i) sum -= i & 1 ? 3 : -3;
  *const_cast<volatile unsigned*>(at) = sum + id;
}

template <unsigned kind>
void task(unsigned id, void*) {
  unsigned *lock = locks[kind], *sum = table[kind];
  const unsigned h = place_of(id);
  if constexpr (kind == 0) {  // a flag, as every text for CUDA has it
    bool done = false;
    while (!done) {
      if (spica::atomic_exchange(&lock[h], 1u) == 0) {
        add(&sum[h], id);
        simt_fence();
        spica::atomic_exchange(&lock[h], 0u);
        done = true;
      }
    }
  } else if constexpr (kind == 1) {  // break
    for (;;) {
      if (try_take(&lock[h])) {
        add(&sum[h], id);
        give(&lock[h]);
        break;
      }
      ++retries[kind][id];
    }
  } else if constexpr (kind == 2) {  // return
    for (;;) {
      if (!try_take(&lock[h])) continue;
      add(&sum[h], id);
      give(&lock[h]);
      return;
    }
  } else if constexpr (kind == 3) {  // a spin, with what it protects behind it
    while (spica::atomic_exchange(&lock[h], 1u) != 0) {
    }
    add(&sum[h], id);
    give(&lock[h]);
  } else if constexpr (kind == 4) {  // do, while
    unsigned got;
    do {
      got = spica::atomic_exchange(&lock[h], 1u) == 0;
      if (got) {
        add(&sum[h], id);
        give(&lock[h]);
      }
    } while (!got);
  } else if constexpr (kind == 5) {  // goto
  again:
    if (!try_take(&lock[h])) goto again;
    add(&sum[h], id);
    give(&lock[h]);
  } else if constexpr (kind == 6) {  // in functions
    take(&lock[h]);
    add(&sum[h], id);
    give(&lock[h]);
  } else if constexpr (kind == 7) {
    take_apart(&lock[h]);
    add(&sum[h], id);
    give_apart(&lock[h]);
  } else if constexpr (kind == 8) {
    bool done = false;
    while (!done) {
      if (try_take_apart(&lock[h])) {
        add(&sum[h], id);
        give_apart(&lock[h]);
        done = true;
      }
    }
  } else if constexpr (kind == 9) {  // two, in order
    take(&lock[h]);
    take(&lock[h + 1]);
    add(&sum[h], id);
    give(&lock[h + 1]);
    give(&lock[h]);
  } else if constexpr (kind == 10) {  // hand over hand
    unsigned at = 0;
    take(&lock[0]);
    while (at < h) {
      take(&lock[at + 1]);
      give(&lock[at]);
      ++at;
    }
    add(&sum[at], id);
    give(&lock[at]);
  } else if constexpr (kind == 11) {  // the compiler's own
    while (__atomic_exchange_n(&lock[h], 1u, __ATOMIC_ACQUIRE) != 0) {
    }
    add(&sum[h], id);
    simt_fence();
    __atomic_store_n(&lock[h], 0u, __ATOMIC_RELEASE);
  } else if constexpr (kind == 12) {
    unsigned expected = 0;
    while (!__atomic_compare_exchange_n(&lock[h], &expected, 1u, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
      expected = 0;
    add(&sum[h], id);
    simt_fence();
    __atomic_store_n(&lock[h], 0u, __ATOMIC_RELEASE);
  } else if constexpr (kind == 13) {
    while (spica::atomic_compare_exchange(&lock[h], 0u, 1u) != 0) {
    }
    add(&sum[h], id);
    simt_fence();
    spica::atomic_store(&lock[h], 0u);
  } else if constexpr (kind == 14) {  // it looks before it tries
    while (spica::atomic_exchange(&lock[h], 1u) != 0)
      while (spica::atomic_load(&lock[h]) != 0) {
      }
    add(&sum[h], id);
    give(&lock[h]);
  } else if constexpr (kind == 15) {  // tickets
    const unsigned ticket = spica::atomic_add(&lock[h], 1u);
    while (spica::atomic_load(&serving[kind][h]) != ticket) {
    }
    add(&sum[h], id);
    simt_fence();
    spica::atomic_add(&serving[kind][h], 1u);
  } else if constexpr (kind == 16) {  // one lock, one word
    bool done = false;
    do {
      if (spica::atomic_or(&lock[0], 1u) == 0) {
        add(&sum[0], id);
        simt_fence();
        spica::atomic_and(&lock[0], 0u);
        done = true;
      }
    } while (!done);
  } else if constexpr (kind == 17) {  // several times
    for (unsigned i = 0; i < id % 3 + 1; ++i) {
      take(&lock[(h + i) % 4]);
      if (i == 0) add(&sum[(h + i) % 4], id);
      give(&lock[(h + i) % 4]);
    }
  } else if constexpr (kind == 18) {  // one within the other's flag
    bool done = false;
    while (!done) {
      if (try_take(&lock[h])) {
        take(&lock[h + 1]);
        add(&sum[h], id);
        give(&lock[h + 1]);
        give(&lock[h]);
        done = true;
      }
    }
  } else if constexpr (kind == 19) {  // two, or none
    for (bool done = false; !done;) {
      if (!try_take(&lock[h])) continue;
      if (try_take(&lock[4 + id % 2])) {
        add(&sum[h], id);
        give(&lock[4 + id % 2]);
        done = true;
      }
      give(&lock[h]);
    }
  } else if constexpr (kind == 20) {  // some lanes only, on two ways
    if (id % 2) {
      take(&lock[h]);
      add(&sum[h], id);
    } else {
      take(&lock[h]);
      sum[4] = 1;
      add(&sum[h], id);
    }
    give(&lock[h]);
  } else if constexpr (kind == 21) {  // a plain store gives it back
    while (spica::atomic_exchange(&lock[h], 1u) != 0) {
    }
    add(&sum[h], id);
    simt_fence();
    *const_cast<volatile unsigned*>(&lock[h]) = 0;
  } else if constexpr (kind == 24 ||
                       kind == 25) {  // one statement of assembly is the fence and gives it back
    while (spica::atomic_exchange(&lock[h], 1u) != 0) {
    }
    add(&sum[h], id);
    if constexpr (kind == 24) __asm__ volatile("fence\n\tamoswap.w.rl x0, x0, %0" : "+A"(lock[h])::"memory");
    else __asm__ volatile("fence rw,w; sw x0, %0" : "=m"(lock[h])::"memory");
  } else if constexpr (kind == 22) {  // a first try outside of the loop
    if (!try_take(&lock[h])) do
        ++retries[kind][id];
      while (!try_take(&lock[h]));
    add(&sum[h], id);
    give(&lock[h]);
  } else {  // one section after the other, and what one lane holds another takes later
    if (id % 2) take(&lock[5]);
    take(&lock[h]);
    add(&sum[h], id);
    give(&lock[h]);
    if (id % 2) give(&lock[5]);
    take(&lock[5]);
    ++sum[5];
    give(&lock[5]);
  }
}

bool is_right(unsigned kind) {
  unsigned sum = 0;
  for (unsigned i = 0; i < 4; ++i) sum += table[kind][i];
  if (sum != kSum) printf("kind %u: %u, must be %u\n", kind, sum, kSum);
  if (kind == 23 && table[kind][5] != kTasks) return false;
  return sum == kSum;
}

template <unsigned kind = 0>
unsigned run() {
  unsigned wrong = 0;
#ifdef ONLY
  if constexpr (kind == ONLY)
#endif
  {
    spawn_tasks(kTasks, task<kind>, nullptr);
    simt_barrier(0, 1);
    if (simt_core() == 0) wrong = !is_right(kind);
  }
  if constexpr (kind + 1 < kKinds) wrong += run<kind + 1>();
  return wrong;
}

}  // namespace

int main() {
  const unsigned wrong = run();
  if (wrong == 0 && simt_core() == 0) printf("all sums are right\n");
  return wrong != 0;
}
