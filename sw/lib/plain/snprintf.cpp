// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>

#include "simt.h"

namespace {

struct Call {
  char* out;
  size_t size;
  const char* format;
  va_list arguments;
  int length;
};

}  // namespace

extern "C" {

int __real_vsnprintf(char* out, size_t size, const char* format, va_list arguments);

/// snprintf() of kernels in plain C++: one lane after the other, as what is in one_by_one.S.
int __wrap_snprintf(char* out, size_t size, const char* format, ...) {
  Call call{out, size, format, {}, 0};
  va_start(call.arguments, format);
  simt_each_lane(
      [](void* argument) {
        auto& one = *static_cast<Call*>(argument);
        one.length = __real_vsnprintf(one.out, one.size, one.format, one.arguments);
      },
      &call);
  va_end(call.arguments);
  return call.length;
}

}  // extern "C"
