// SPDX-License-Identifier: Apache-2.0
// <math.h> in lanes with very different arguments: row f of `results` has function f of `x`.
#include <math.h>
#include <spawn.h>
#include <spica/simt.h>

constexpr unsigned kCount = 240;
extern "C" {
float x[kCount], results[20][kCount];
}

static void task(unsigned id, void*) {
  const float of = x[id];
  unsigned row = 0;
  const auto put = [&](float value) { results[row++][id] = value; };
  put(sinf(of));
  put(cosf(of));
  put(tanf(of));
  put(atanf(of));
  put(expf(of));
  put(tanhf(of));
  put(log2f(of));
  put(powf(of, 0.75f));
  put(atan2f(of, -2.5f));
  put(floorf(of));
  put(ceilf(of));
  put(truncf(of));
  put(roundf(of));
  put(rintf(of));
}

int main() {
  spawn_tasks(kCount, task, nullptr);
  return 0;
}
