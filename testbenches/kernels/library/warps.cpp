// SPDX-License-Identifier: Apache-2.0
// <spica/simt.h> against loops over the lanes of each warp, on all threads of the machine, with all lanes and with
// some. Compiled by `spica cc` and by gcc. Exit code 1 and a line for each kind of result that is wrong.
#include <spawn.h>
#include <spica/simt.h>
#include <stdio.h>
#include <stdlib.h>

namespace {

constexpr unsigned kMost = 2048, kKinds = 24;
struct Results {
  unsigned value, flag, takes_part, got[kKinds];
};
Results all_lanes[kMost], some_lanes[kMost];
unsigned counter, smallest = ~0u, largest, bits, turns;
int smallest_signed = 1000, largest_signed = -1000;
float total;
unsigned words[kMost], copied[kMost], square[kMost], part[16 * 8];

unsigned scramble(unsigned x) {
  x = (x + 0x9E3779B9u) * 2654435761u;
  return x ^ x >> 15;
}
float fraction(unsigned x) { return static_cast<float>(x % 1000) * 0.001f; }
unsigned bits_of(float x) { return spica::detail::word_of(x); }

void ask(Results& to, unsigned id, unsigned value, bool flag) {
  unsigned at = 0;
  const auto put = [&](unsigned word) { to.got[at++] = word; };
  to.value = value;
  to.flag = flag;
  to.takes_part = 1;
  put(spica::ballot(flag));
  put(spica::active());
  put(spica::any(flag));
  put(spica::all(flag));
  put(spica::count(flag));
  put(spica::rank(flag));
  put(spica::elect());
  put(spica::shuffle(value, scramble(id)));
  put(spica::shuffle_xor(value, 1));
  put(spica::shuffle_up(value, 3));
  put(spica::shuffle_down(value, 1));
  put(spica::broadcast(value, 2));
  put(spica::sum(value));
  put(bits_of(spica::sum(fraction(value))));
  put(spica::least(value));
  put(static_cast<unsigned>(spica::greatest(static_cast<int>(value))));
  put(spica::inclusive_sum(value));
  put(spica::exclusive_sum(value));
  put(bits_of(spica::scan(fraction(value), [](float a, float b) { return a * 0.5f + b; })));
  put(spica::reduce(value, [](unsigned a, unsigned b) { return 3 * a + b; }));
  put(spica::thread());
}
constexpr unsigned kAsked = 21;

void task(unsigned id, void*) {
  const unsigned value = scramble(id), other = scramble(id + 5000);
  ask(all_lanes[id], id, value, (value & 1) != 0);
  const unsigned chosen = value % 3 != 0;
  SIMT_IF(chosen)
  ask(some_lanes[id], id, other, (other & 4) != 0);
  SIMT_END_IF

  spica::atomic_add(&counter, id);
  spica::atomic_min(&smallest, value);
  spica::atomic_max(&largest, value);
  spica::atomic_min(&smallest_signed, static_cast<int>(id) - 40);
  spica::atomic_max(&largest_signed, static_cast<int>(id) - 40);
  spica::atomic_or(&bits, 1u << id % 32);
  spica::atomic_add(&total, 0.25f);
  const unsigned before = spica::atomic_compare_exchange(&turns, 0u, id + 1);
  const unsigned won = before == 0;
  SIMT_IF(won)
  spica::atomic_store(&words[0], spica::atomic_load(&turns));
  SIMT_END_IF

  const spica::Threads who = spica::all_threads();
  spica::copy(who, copied, square, kMost - 5);
  spica::copy<16, 8>(who, spica::Matrix<unsigned>{part, 8}, spica::Matrix<const unsigned>{square + 3, 40});
}

// What a lane should have got, asked of the lanes of its warp one after the other.
void find_wanted(const Results* warp, unsigned lanes, unsigned lane, unsigned id,
                 unsigned (&wanted)[kAsked]) {
  unsigned ballot = 0, active = 0, sum = 0, below = 0, hash = 0, least = ~0u, rank = 0, lowest = lanes;
  int greatest = -2147483647 - 1;
  float total = 0, scan = 0;
  for (unsigned i = 0; i < lanes; ++i) {
    if (!warp[i].takes_part) continue;
    const bool first = lowest == lanes;
    const unsigned value = warp[i].value;
    if (first) lowest = i;
    active |= 1u << i;
    ballot |= warp[i].flag << i;
    if (i < lane) rank += warp[i].flag, below += value;
    sum += value;
    total = first ? fraction(value) : total + fraction(value);
    if (i <= lane) scan = first ? fraction(value) : scan * 0.5f + fraction(value);
    hash = first ? value : 3 * hash + value;
    if (value < least) least = value;
    if (static_cast<int>(value) > greatest) greatest = static_cast<int>(value);
  }
  unsigned at = 0;
  const auto want = [&](unsigned word) { wanted[at++] = word; };
  want(ballot);
  want(active);
  want(ballot != 0);
  want(ballot == active);
  want(spica::count_bits(ballot));
  want(rank);
  want(lowest == lane);
  for (const unsigned from : {scramble(id) % lanes, lane ^ 1, lane >= 3 ? lane - 3 : lane,
                              lane + 1 < lanes ? lane + 1 : lane, 2u}) {
    const bool is_there = warp[from].takes_part != 0;  // else any value is right
    want(is_there ? warp[from].value : warp[lane].got[at]);
  }
  want(sum);
  want(bits_of(total));
  want(least);
  want(static_cast<unsigned>(greatest));
  want(below + warp[lane].value);
  want(below);
  want(bits_of(scan));
  want(hash);
  const unsigned number = id / lanes;  // of the warp in the cluster
  want((number % simt_cores() * simt_warps() + number / simt_cores()) * lanes + lane);
}

unsigned compare(const char* name, const Results* results) {
  const unsigned lanes = simt_lanes(), threads = spica::threads();
  unsigned bad = 0, wanted[kAsked];
  for (unsigned id = 0; id < threads; ++id) {
    if (!results[id].takes_part) continue;
    find_wanted(results + id / lanes * lanes, lanes, id % lanes, id, wanted);
    for (unsigned kind = 0; kind < kAsked; ++kind) {
      if (results[id].got[kind] == wanted[kind]) continue;
      if (bad++ < 10)
        printf("%s: result %u of task %u is %x, must be %x\n", name, kind, id, results[id].got[kind],
               wanted[kind]);
    }
  }
  return bad;
}

unsigned expect(const char* name, unsigned is, unsigned must) {
  if (is == must) return 0;
  printf("%s: %x, must be %x\n", name, is, must);
  return 1;
}

}  // namespace

int main() {
  const unsigned threads = spica::threads();
  if (threads > kMost) return 2;
  for (unsigned i = simt_core(); i < kMost; i += simt_cores()) square[i] = i * i;
  simt_barrier(0, 1);
  spawn_tasks(threads, task, nullptr);
  simt_barrier(0, 1);
  if (simt_core() != 0) return 0;
  unsigned bad = compare("all lanes", all_lanes) + compare("some lanes", some_lanes);
  unsigned sum = 0, least = ~0u, greatest = 0, winner = 0;
  for (unsigned id = 0; id < threads; ++id) {
    const unsigned value = scramble(id);
    sum += id;
    if (value < least) least = value;
    if (value > greatest) greatest = value;
  }
  bad += expect("atomic_add", counter, sum) + expect("atomic_min", smallest, least) +
         expect("atomic_max", largest, greatest) +
         expect("signed minimum", static_cast<unsigned>(smallest_signed), -40u) +
         expect("signed maximum", static_cast<unsigned>(largest_signed), threads - 41) +
         expect("atomic_or", bits, threads < 32 ? (1u << threads) - 1 : ~0u) +
         expect("sum of floats", bits_of(total), bits_of(0.25f * static_cast<float>(threads)));
  for (unsigned id = 0; id < threads; ++id) winner += turns == id + 1;
  bad += expect("compare_exchange", winner, 1) + expect("the winner's store", words[0], turns);
  for (unsigned i = 0; i < kMost; ++i)
    if (copied[i] != (i < kMost - 5 ? i * i : 0)) {
      bad += expect("copy", copied[i], i * i);
      break;
    }
  for (unsigned i = 0; i < 16 * 8; ++i) {
    const unsigned at = 3 + i / 8 * 40 + i % 8;
    if (part[i] != at * at) {
      bad += expect("copy of a part", part[i], at * at);
      break;
    }
  }
  if (bad == 0) printf("right on %u threads\n", threads);
  return bad != 0 ? 1 : 0;
}
