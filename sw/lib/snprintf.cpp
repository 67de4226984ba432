// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>

#include "format_text.h"

extern "C" {

int vsnprintf(char* out, size_t size, const char* format, va_list arguments) {
  text::Sink sink{out, size != 0 ? size - 1 : 0};
  text::format(sink, format, arguments);
  if (size != 0) out[sink.used] = '\0';
  return static_cast<int>(sink.length);
}

int snprintf(char* out, size_t size, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int length = vsnprintf(out, size, format, arguments);
  va_end(arguments);
  return length;
}

}  // extern "C"
