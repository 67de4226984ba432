// SPDX-License-Identifier: Apache-2.0
#include "format_text.h"

namespace text {

void Sink::put(char c) {
  ++length;
  if (used == capacity) {
    if (flush == nullptr) return;
    flush(buffer, used);
    used = 0;
  }
  buffer[used++] = c;
}

void Sink::pad(char c, int count) {
  for (; count > 0; --count) put(c);
}

void Sink::put(const char* characters, size_t count) {
  for (size_t i = 0; i < count; ++i) put(characters[i]);
}

void put_padded(Sink& sink, const Field& field, const char* prefix, size_t prefix_size, const char* body,
                size_t body_size, bool zeros) {
  const int missing = field.width - static_cast<int>(prefix_size + body_size);
  if (!field.left && !zeros) sink.pad(' ', missing);
  sink.put(prefix, prefix_size);
  if (!field.left && zeros) sink.pad('0', missing);
  sink.put(body, body_size);
  if (field.left) sink.pad(' ', missing);
}

namespace {

void put_integer(Sink& sink, const Field& field, uint64_t value, bool negative, bool is_signed, unsigned base,
                 bool upper) {
  char prefix[2];
  size_t prefix_size = 0;
  if (is_signed && negative) prefix[prefix_size++] = '-';
  else if (is_signed && field.plus) prefix[prefix_size++] = '+';
  else if (is_signed && field.space) prefix[prefix_size++] = ' ';
  if (field.alternate && base == 16 && value != 0) {
    prefix[prefix_size++] = '0';
    prefix[prefix_size++] = upper ? 'X' : 'x';
  }
  char digits[24];  // 22 octal digits of 64 bits and one more
  char* const end = digits + sizeof digits;
  char* first = end;
  const char* const alphabet = upper ? "0123456789ABCDEF" : "0123456789abcdef";
  while (value >> 32 != 0) {
    *--first = alphabet[value % base];
    value /= base;
  }
  for (uint32_t rest = static_cast<uint32_t>(value); rest != 0; rest /= base)
    *--first = alphabet[rest % base];
  if (field.alternate && base == 8 && field.precision <= end - first) *--first = '0';

  const int count = static_cast<int>(end - first);
  const int wanted = field.precision < 0 ? 1 : field.precision;
  const int leading = wanted > count ? wanted - count : 0;
  const bool zeros = field.zero && !field.left && field.precision < 0;
  const int missing = field.width - static_cast<int>(prefix_size) - leading - count;
  if (!field.left && !zeros) sink.pad(' ', missing);
  sink.put(prefix, prefix_size);
  if (zeros) sink.pad('0', missing);
  sink.pad('0', leading);
  sink.put(first, static_cast<size_t>(count));
  if (field.left) sink.pad(' ', missing);
}

int read_number(const char*& p) {
  int value = 0;
  while (*p >= '0' && *p <= '9') value = 10 * value + (*p++ - '0');
  return value;
}

enum class Length { kChar, kShort, kInt, kLong, kLongLong, kSize };

Length read_length(const char*& p) {
  switch (*p) {
    case 'h':
      if (*++p != 'h') return Length::kShort;
      ++p;
      return Length::kChar;
    case 'l':
      if (*++p != 'l') return Length::kLong;
      ++p;
      return Length::kLongLong;
    case 'j': ++p; return Length::kLongLong;
    case 'z':
    case 't': ++p; return Length::kSize;
    default: return Length::kInt;
  }
}

// va_list behind a pointer: it may be an array type, which does not pass by reference everywhere.
struct Arguments {
  va_list list;
};

int64_t next_signed(Arguments& arguments, Length length) {
  switch (length) {
    case Length::kLongLong: return va_arg(arguments.list, long long);
    case Length::kLong: return va_arg(arguments.list, long);
    case Length::kSize: return va_arg(arguments.list, ptrdiff_t);
    case Length::kChar: return static_cast<signed char>(va_arg(arguments.list, int));
    case Length::kShort: return static_cast<short>(va_arg(arguments.list, int));
    default: return va_arg(arguments.list, int);
  }
}

uint64_t next_unsigned(Arguments& arguments, Length length) {
  switch (length) {
    case Length::kLongLong: return va_arg(arguments.list, unsigned long long);
    case Length::kLong: return va_arg(arguments.list, unsigned long);
    case Length::kSize: return va_arg(arguments.list, size_t);
    case Length::kChar: return static_cast<unsigned char>(va_arg(arguments.list, unsigned));
    case Length::kShort: return static_cast<unsigned short>(va_arg(arguments.list, unsigned));
    default: return va_arg(arguments.list, unsigned);
  }
}

Field read_field(const char*& p, Arguments& arguments) {
  Field field;
  for (;; ++p) {
    if (*p == '-') field.left = true;
    else if (*p == '+') field.plus = true;
    else if (*p == ' ') field.space = true;
    else if (*p == '0') field.zero = true;
    else if (*p == '#') field.alternate = true;
    else break;
  }
  if (*p == '*') {
    ++p;
    field.width = va_arg(arguments.list, int);
    if (field.width < 0) {
      field.left = true;
      field.width = -field.width;
    }
  } else {
    field.width = read_number(p);
  }
  if (*p == '.') {
    ++p;
    if (*p == '*') {
      ++p;
      field.precision = va_arg(arguments.list, int);
      if (field.precision < 0) field.precision = -1;
    } else {
      field.precision = read_number(p);
    }
  }
  return field;
}

void put_string(Sink& sink, const Field& field, const char* string) {
  if (string == nullptr) string = "(null)";
  size_t size = 0;
  const size_t limit = field.precision < 0 ? SIZE_MAX : static_cast<size_t>(field.precision);
  while (size < limit && string[size] != '\0') ++size;
  put_padded(sink, field, "", 0, string, size, false);
}

}  // namespace

void format(Sink& sink, const char* pattern, va_list list) {
  Arguments arguments;
  va_copy(arguments.list, list);
  for (const char* p = pattern; *p != '\0';) {
    if (*p != '%') {
      sink.put(*p++);
      continue;
    }
    const char* const start = p++;
    Field field = read_field(p, arguments);
    const Length length = read_length(p);
    const char letter = *p;
    switch (letter) {
      case 'd':
      case 'i': {
        const int64_t value = next_signed(arguments, length);
        const uint64_t magnitude =
            value < 0 ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
        put_integer(sink, field, magnitude, value < 0, true, 10, false);
        break;
      }
      case 'u': put_integer(sink, field, next_unsigned(arguments, length), false, false, 10, false); break;
      case 'o': put_integer(sink, field, next_unsigned(arguments, length), false, false, 8, false); break;
      case 'x':
      case 'X':
        put_integer(sink, field, next_unsigned(arguments, length), false, false, 16, letter == 'X');
        break;
      case 'p':
        field.alternate = true;
        put_integer(sink, field, reinterpret_cast<uintptr_t>(va_arg(arguments.list, void*)), false, false, 16,
                    false);
        break;
      case 'c': {
        const char c = static_cast<char>(va_arg(arguments.list, int));
        put_padded(sink, field, "", 0, &c, 1, false);
        break;
      }
      case 's': put_string(sink, field, va_arg(arguments.list, const char*)); break;
      case 'f':
      case 'F':
      case 'e':
      case 'E':
      case 'g':
      case 'G': {
        const double value = va_arg(arguments.list, double);
        uint64_t bits;
        __builtin_memcpy(&bits, &value, sizeof bits);
        format_double(sink, field, bits, letter);
        break;
      }
      case '%': sink.put('%'); break;
      default:  // not a conversion we know: print it unchanged
        if (letter != '\0') ++p;
        sink.put(start, static_cast<size_t>(p - start));
        continue;
    }
    ++p;
  }
  va_end(arguments.list);
}

}  // namespace text
