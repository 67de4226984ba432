// SPDX-License-Identifier: Apache-2.0
// All loops are uniform: they continue while any active lane wants, and a lane that is through does
// nothing. Words are used when every lane can.
#include <string.h>

#include <stdint.h>

#include "simt.h"

namespace {

bool words(const void* a, const void* b) {
  const auto bits = reinterpret_cast<uintptr_t>(a) | reinterpret_cast<uintptr_t>(b);
  return simt_all((bits & 3) == 0);
}

using Word __attribute__((may_alias)) = uint32_t;

}  // namespace

extern "C" {

void* memcpy(void* __restrict to, const void* __restrict from, size_t size) {
  size_t i = 0;
  if (words(to, from)) {
    SIMT_WHILE(i + 4 <= size)
      *reinterpret_cast<Word*>(static_cast<char*>(to) + i) =
          *reinterpret_cast<const Word*>(static_cast<const char*>(from) + i);
      i += 4;
    SIMT_END_WHILE
  }
  SIMT_WHILE(i < size)
    static_cast<char*>(to)[i] = static_cast<const char*>(from)[i];
    ++i;
  SIMT_END_WHILE
  return to;
}

void* memmove(void* to, const void* from, size_t size) {
  // Ascending when the target is below the source, else descending; a lane has its own direction.
  const size_t down =
      size_t{0} - simt_hide(reinterpret_cast<uintptr_t>(to) > reinterpret_cast<uintptr_t>(from));
  size_t i = 0;
  SIMT_WHILE(i < size)
    const size_t at = ((size - 1 - i) & down) | (i & ~down);
    static_cast<char*>(to)[at] = static_cast<const char*>(from)[at];
    ++i;
  SIMT_END_WHILE
  return to;
}

void* memset(void* to, int value, size_t size) {
  const uint32_t byte = static_cast<unsigned char>(value);
  size_t i = 0;
  if (words(to, to)) {
    SIMT_WHILE(i + 4 <= size)
      *reinterpret_cast<Word*>(static_cast<char*>(to) + i) = byte * 0x01010101u;
      i += 4;
    SIMT_END_WHILE
  }
  SIMT_WHILE(i < size)
    static_cast<char*>(to)[i] = static_cast<char>(byte);
    ++i;
  SIMT_END_WHILE
  return to;
}

int memcmp(const void* a, const void* b, size_t size) {
  int difference = 0;
  size_t i = 0;
  SIMT_WHILE((i < size) & (difference == 0))
    difference = static_cast<const unsigned char*>(a)[i] - static_cast<const unsigned char*>(b)[i];
    ++i;
  SIMT_END_WHILE
  return difference;
}

size_t strlen(const char* text) {
  size_t size = 0;
  while (text[size] != '\0') ++size;
  return size;
}

int strcmp(const char* a, const char* b) {
  while (*a != '\0' && *a == *b) ++a, ++b;
  return static_cast<unsigned char>(*a) - static_cast<unsigned char>(*b);
}

}  // extern "C"
