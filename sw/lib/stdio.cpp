// SPDX-License-Identifier: Apache-2.0
// The console is the print buffer: every byte stored there is a character, in the order of the
// stores. The text starts at the first byte of the window again and again; a line is put together
// per lane outside.
#include <stdio.h>

#include "built_for.h"
#include "format_text.h"
#include "platform.h"
#include "simt.h"

namespace {

void store_text(const char* text, size_t size) {
  const auto window = static_cast<uintptr_t>(PLATFORM_PRINT_BUFFER);
  size_t i = 0;
  for (; i + 4 <= size; i += 4) {
    uint32_t word;
    __builtin_memcpy(&word, __builtin_assume_aligned(text + i, 4), 4);
    *reinterpret_cast<volatile uint32_t*>(window + i) = word;
  }
  for (; i < size; ++i) *reinterpret_cast<volatile char*>(window + i) = text[i];
}

struct Call {
  const char* format;
  va_list* arguments;
  int length;
};

// One lane: format into its own stack, then store word by word.
void print(void* argument) {
  auto& call = *static_cast<Call*>(argument);
  alignas(4) char buffer[128];
  text::Sink sink{buffer, sizeof buffer, store_text};
  text::format(sink, call.format, *call.arguments);
  store_text(buffer, sink.used);
  call.length = static_cast<int>(sink.length);
}

}  // namespace

extern "C" {

int vprintf(const char* format, va_list arguments) {
  va_list copy;
  va_copy(copy, arguments);
  Call call = {format, &copy, 0};
  simt_each_lane(print, &call);
  BUILT_FOR_HERE("print_buffer", PLATFORM_PRINT_BUFFER);
  va_end(copy);
  return call.length;
}

int printf(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int length = vprintf(format, arguments);
  va_end(arguments);
  return length;
}

int puts(const char* text) { return printf("%s\n", text); }

int putchar(int character) {
  printf("%c", character);
  return character;
}

}  // extern "C"
