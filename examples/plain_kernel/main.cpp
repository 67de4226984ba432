// SPDX-License-Identifier: Apache-2.0
// How many primes there are below 1000. Each lane tries the divisors of a number of its own: early returns and loops of
// different lengths, as one writes them for one thread.
#include <simt.h>
#include <spawn.h>
#include <stdio.h>

namespace {

constexpr unsigned kNumbers = 1000;
unsigned count, last;

bool is_prime(unsigned n) {
  if (n < 2) return false;
  for (unsigned divisor = 2; divisor * divisor <= n; ++divisor)
    if (n % divisor == 0) return false;
  return true;
}

void task(unsigned n, void*) {
  if (!is_prime(n)) return;
  __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED);
  __atomic_fetch_max(&last, n, __ATOMIC_RELAXED);
}

}  // namespace

int main() {
  spawn_tasks(kNumbers, task, nullptr);
  simt_barrier(0, 1);  // all cores are done
  if (simt_core() == 0) printf("%u primes below %u, the last is %u\n", count, kNumbers, last);
  return 0;
}
