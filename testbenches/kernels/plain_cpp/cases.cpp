// SPDX-License-Identifier: Apache-2.0
// One function for each way in which lanes can part; calls are in calls.cpp.
#include "harness.h"

static unsigned if_else_if(unsigned id) {
  unsigned value = 3;
  if (id % 5 == 0) {
    for (unsigned i = 0; i < 4; ++i) value = value * id + i;
  } else if ((id & 2) != 0) {
    value = id / 3;
  } else {
    value = table[id & 63] * id;
  }
  if (id > 33) value ^= table[id * 5 & 63];
  return value;
}

static unsigned loop_of_own_length(unsigned id) {
  unsigned sum = 0;
  for (unsigned i = 0; i < id * 11 % 23; ++i) sum = sum * 7 + (i ^ id);
  return sum;
}

static unsigned loop_until(unsigned id) {
  unsigned x = scramble(id), steps = 0;
  do {
    x = (x & 1) != 0 ? x * 3 + 1 : x >> 1;
    ++steps;
  } while (x % 19 != 4 && steps < 90);
  return x + steps;
}

static unsigned nested_loops(unsigned id) {
  unsigned sum = id;
  for (unsigned row = 0; row < 9; ++row) {
    if (((row ^ id) & 3) == 1) continue;
    for (unsigned column = row; column < 16 + id % 3; ++column) {
      if ((column * row + id) % 7 == 2) continue;
      if (sum % 31 == 5) break;
      sum += column * 17 + row;
      if (sum > 3000 + id * 40) goto done;
    }
    if (row * 3 > id) break;
  }
done:
  return sum;
}

static unsigned early_return(unsigned id) {
  if (id % 9 == 4) return 12345;
  for (unsigned i = 0; i < 64; ++i) {
    if (table[i] % 13 == id % 13) return i;
    if (table[i] % 71 == id) return 900 + i;
  }
  return (id & 1) != 0 ? 5 : 6;
}

static NOINLINE bool adds(unsigned& counter, unsigned what) {
  counter += what;
  return counter % 3 != 0;
}

static unsigned short_circuit(unsigned id) {
  unsigned counter = id, hits = 0;
  for (unsigned i = 0; i < 7; ++i) {
    if (adds(counter, i) && (adds(counter, id) || !adds(counter, 2))) hits += 3;
    hits += (counter & 4) != 0 && counter % 5 != 1 ? 10 : 1000;
  }
  return hits * 64 + counter;
}

static unsigned switch_in_loop(unsigned id) {
  unsigned x = id;
  for (unsigned i = 0; i < 8; ++i) {
    switch ((x + i) % 11) {
      case 0: x += 9; break;
      case 1: x *= 5; [[fallthrough]];
      case 3: x ^= 0x33; break;
      case 4:
      case 5:
        if ((x & 8) != 0) break;
        x += 77;
        break;
      case 6: return x + 1000000;
      case 8: x = table[x & 63]; continue;
      default: x -= i;
    }
    x += i * i;
  }
  return x;
}

static unsigned uniform_switch(unsigned id) {
  unsigned sum = 0;
  for (unsigned i = 0; i < 6; ++i) {
    switch (table[i] % 4) {  // the same in all lanes
      case 0: sum += id; break;
      case 1:
        if (id > 20) return sum;
        break;
      case 2: sum *= 3; break;
      default: sum ^= id * i;
    }
  }
  return sum;
}

static unsigned jump_into_loop(unsigned id) {
  unsigned x = id, sum = 0;
  if ((id & 2) != 0) goto inside;
again:
  sum += x * 5;
inside:
  sum ^= x;
  if (++x % 9 != 0) goto again;
  if ((sum & 32) != 0 && x < 150) {
    x += 4;
    goto inside;
  }
  return sum;
}

static unsigned escape_time(unsigned id) {
  const float re = -2.0f + float(id % 10) * 0.25f, im = -1.0f + float(id / 10) * 0.25f;
  float x = 0, y = 0;
  unsigned steps = 0;
  for (; steps < 40; ++steps) {
    const float xx = x * x, yy = y * y;
    if (xx + yy > 4.0f) break;
    y = 2.0f * x * y + im;
    x = xx - yy + re;
  }
  return steps;
}

static unsigned sort_and_search(unsigned id) {
  unsigned numbers[11];
  const unsigned count = 3 + id % 9;
  for (unsigned i = 0; i < count; ++i) numbers[i] = scramble(id * 16 + i) % 97;
  for (unsigned i = 1; i < count; ++i) {
    const unsigned x = numbers[i];
    unsigned at = i;
    while (at > 0 && numbers[at - 1] > x) {
      numbers[at] = numbers[at - 1];
      --at;
    }
    numbers[at] = x;
  }
  unsigned low = 0, high = count;
  while (low < high) {
    const unsigned middle = (low + high) / 2;
    if (numbers[middle] < 48) low = middle + 1;
    else high = middle;
  }
  unsigned sum = low;
  for (unsigned i = 0; i < count; ++i) sum = sum * 101 + numbers[i];
  return sum;
}

static unsigned state_machine(unsigned id) {
  enum { kStart, kGrow, kShrink, kTurn } state = kStart;
  unsigned x = id, steps = 0;
  do {
    ++steps;
    switch (state) {
      case kStart:
        state = (x & 1) != 0 ? kGrow : kShrink;
        x = x * 7 + 1;
        break;
      case kGrow:
        if (x % 3 == 0) {
          state = kTurn;
          break;
        }
        x /= 2;
        state = x > 9 ? kStart : kShrink;
        break;
      case kShrink:
        x ^= steps;
        state = (x & 4) != 0 ? kStart : kGrow;
        break;
      case kTurn:
        x += 13;
        if (x % 7 == 3) return steps * 1000 + x % 1000;
        state = kShrink;
        break;
    }
  } while (steps < 45 && x != 1);
  return x;
}

static unsigned hash_of_text(unsigned id) {
  static const char sentence[] = "it was a bright cold day in April, and the clocks were striking thirteen";
  const char* text = sentence + id % 60;
  unsigned hash = 5381;
  while (*text != '\0' && *text != ',') {
    if (*text >= 'a' && *text <= 'z') hash = hash * 33 + static_cast<unsigned char>(*text);
    else if (*text == ' ') hash ^= hash >> 3;
    ++text;
  }
  return hash;
}

static void program(unsigned id, unsigned* out) {
  *out++ = if_else_if(id);
  *out++ = loop_of_own_length(id);
  *out++ = loop_until(id);
  *out++ = nested_loops(id);
  *out++ = early_return(id);
  *out++ = short_circuit(id);
  *out++ = switch_in_loop(id);
  *out++ = uniform_switch(id);
  *out++ = jump_into_loop(id);
  *out++ = escape_time(id);
  *out++ = sort_and_search(id);
  *out++ = state_machine(id);
  *out++ = hash_of_text(id);
}
PROGRAM_MAIN(13, program)
