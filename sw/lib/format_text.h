/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

namespace text {

/// Where formatted characters go: a buffer, and what to do when it is full. Without `flush` the
/// text is cut at the capacity; `length` counts on in any case.
struct Sink {
  char* buffer;
  size_t capacity;
  void (*flush)(const char* text, size_t size) = nullptr;
  size_t used = 0;    // characters in the buffer
  size_t length = 0;  // characters produced so far

  void put(char c);
  void pad(char c, int count);
  void put(const char* characters, size_t count);
};

/// One conversion: the text between % and the conversion letter.
struct Field {
  bool left = false, plus = false, space = false, zero = false, alternate = false;
  int width = 0;
  int precision = -1;  // -1: not given
};

/// printf into a sink.
void format(Sink& sink, const char* pattern, va_list arguments);

/// sign and prefix, then the body padded to the field's width. `zeros`: pad with 0 behind the
/// prefix.
void put_padded(Sink& sink, const Field& field, const char* prefix, size_t prefix_size, const char* body,
                size_t body_size, bool zeros);

/// A double, given by its bits, in the style of `letter` (one of f F e E g G). Exact: the decimal
/// expansion is computed in full and rounded half to even.
void format_double(Sink& sink, const Field& field, uint64_t bits, char letter);

}  // namespace text
