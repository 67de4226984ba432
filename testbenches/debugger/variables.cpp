// SPDX-License-Identifier: Apache-2.0
// For a debugger: variables of all kinds, in lanes that part. Each function has the number of its task as `id`. With a
// barrier in it, functions become a part of their caller.
#include <simt.h>
#include <spawn.h>
#include <stdio.h>

struct Point {
  int x, y;
  float w[2];
};

struct Pair {
  Point first, second;
  long long sum;
};

struct Counter {
  unsigned count;
  void add(unsigned id, unsigned amount) {
    const unsigned twice = 2 * amount;
    if (id % 3 == 0) count += twice;
    else count += amount;
  }
};

struct Numbers {
  unsigned many;
  unsigned of[4];
};

static unsigned out[8];

static unsigned steps(unsigned id, const Point& at) {
  unsigned local = id + at.x;
  for (unsigned i = 0; i < id % 4; ++i) {
    const unsigned twice = local * 2;
    local = twice + i;
  }
  return local;
}

static Pair mirrored(unsigned id, Pair pair, int Point::* member) {
  Pair result;
  result.first = pair.second;
  result.second = pair.first;
  result.sum = 1000000007LL * id + pair.first.*member;
  return result;
}

template <class T, unsigned n>
static inline T largest(unsigned id, const T (&values)[n]) {
  T most = values[0];
  unsigned at = 0;
  do {
    const T value = values[at];
    if (value > most + T(id)) most = value;
    ++at;
  } while (at < n);
  return most;
}

static double mean(unsigned id, float start, short step, signed char count, bool is_negative) {
  double sum = 0;
  for (int i = 0; i < count; ++i) {
    const float value = start + float(step * i);
    sum += is_negative ? -value : value;
  }
  const double result = count != 0 ? sum / count : id;
  return result;
}

static unsigned classify(unsigned id) {
  unsigned kind = 9;
  switch (id % 5) {
    case 0: {
      const unsigned none = id / 5;
      kind = none;
      break;
    }
    case 1: kind += 1; [[fallthrough]];
    case 2: {
      unsigned some = kind * 2;
      while (some > 20) {
        if (some == 22) break;
        some -= 3;
      }
      kind = some;
      break;
    }
    default:
      if (id > 4) return id * 100;
      kind = 0;
  }
  return kind;
}

static unsigned factorial(unsigned id, unsigned of) {
  unsigned result = 1;
  if (of > 1) {
    const unsigned rest = factorial(id, of - 1);
    result = of * rest;
  }
  return result;
}

static unsigned nested(unsigned id, const unsigned* row) {
  unsigned total = 0;
  for (unsigned i = 0; i < 3; ++i) {
    unsigned inner = 0;
    for (unsigned j = i; j < id % 4; ++j) {
      const unsigned weight = row[j] * (i + 1);
      if (weight % 2 == 0) {
        if (j == 2) continue;
        const unsigned half = weight / 2;
        inner += half;
      } else {
        inner ^= weight;
      }
    }
    total += inner;
  }
  return total;
}

static void task(unsigned id, void* argument) {
  const Numbers& numbers = *static_cast<const Numbers*>(argument);
  unsigned sum = 0, unused = 7;
  bool is_odd = id & 1, is_late = false;
  Point point{int(id), 3, {1.5f, 2.5f}};
  Point other = point;
  unsigned array[4] = {1, 2, 3, id};
  for (unsigned i = 0; i < numbers.many; ++i) {
    unsigned square = i * i;
    if (square % 2 == id % 2) {
      const unsigned inner = square + id;
      sum += inner;
    } else {
      sum += array[i % 4];
    }
  }
  if (is_odd) is_late = true;
  if (is_late) other.y = steps(id, point);
  const Pair pair = mirrored(id, Pair{point, other, 5}, id % 2 != 0 ? &Point::x : &Point::y);
  const unsigned most = largest(id, array);
  const float share = largest(id, point.w);
  const double average = mean(id, share, short(id) - 4, (signed char)(id % 4), is_odd);
  unsigned calls = 0;
  const auto again = [&sum, &calls](unsigned id, unsigned amount) {
    const unsigned before = sum;
    sum += amount * id;
    ++calls;
    return sum - before;
  };
  const unsigned added = id > 4 ? again(id, 2) + again(id, 3) : again(id, 1);
  Counter counter{most};
  counter.add(id, added);
  unsigned* target = id % 2 == 0 ? &array[1] : &sum;
  *target += classify(id);
  const unsigned many = factorial(id, id % 4), deep = nested(id, numbers.of);
#ifdef WITH_BARRIER
  if (numbers.many > 5) simt_barrier(0, 1);
#endif
  out[id] = sum + other.y + unused + array[1] + counter.count + many + deep + unsigned(pair.sum) +
            unsigned(average * 8) + calls;
}

int main() {
  static Numbers numbers = {5, {4, 7, 6, 3}};
  spawn_tasks(8, task, &numbers);
  simt_barrier(0, 1);
  if (simt_core() == 0)
    for (unsigned i = 0; i < 8; ++i) printf("%u\n", out[i]);
  return 0;
}
