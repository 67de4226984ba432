// SPDX-License-Identifier: Apache-2.0
#include <assert.h>
#include <stdio.h>

extern "C" void simt_assertion_failed(const char* expression, const char* file, unsigned line,
                                      const char* function) {
  printf("%s:%u: %s: assertion failed: %s (core %u, warp %u, lane %u)\n", file, line, function, expression,
         simt_core(), simt_warp(), simt_lane());
  simt_fence();  // the text is out before the program stops
}
