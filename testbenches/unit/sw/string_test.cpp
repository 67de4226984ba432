// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <vector>

#include "testbenches/support/catch.h"

extern "C" {
void* sw_memcpy(void* to, const void* from, std::size_t size);
void* sw_memmove(void* to, const void* from, std::size_t size);
void* sw_memset(void* to, int value, std::size_t size);
int sw_memcmp(const void* a, const void* b, std::size_t size);
std::size_t sw_strlen(const char* text);
int sw_strcmp(const char* a, const char* b);
}

namespace {

std::vector<unsigned char> pattern(std::size_t size, unsigned seed) {
  std::vector<unsigned char> bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<unsigned char>(i * 37 + seed);
  return bytes;
}

int sign(int value) { return (value > 0) - (value < 0); }

}  // namespace

TEST_CASE("memcpy, memmove and memset write exactly their bytes at every alignment and size") {
  for (std::size_t to = 0; to < 5; ++to) {
    for (std::size_t from = 0; from < 5; ++from) {
      for (std::size_t size = 0; size < 20; ++size) {
        const auto source = pattern(32, 1);
        auto ours = pattern(32, 100), expected = ours;
        CHECK(sw_memcpy(&ours[to], &source[from], size) == &ours[to]);
        std::memcpy(&expected[to], &source[from], size);
        CHECK(ours == expected);

        CHECK(sw_memmove(&ours[to], &ours[from], size) == &ours[to]);  // they overlap
        std::memmove(&expected[to], &expected[from], size);
        CHECK(ours == expected);

        CHECK(sw_memset(&ours[to], 0x1A5, size) == &ours[to]);
        std::memset(&expected[to], 0xA5, size);
        CHECK(ours == expected);
      }
    }
  }
}

TEST_CASE("memcmp compares bytes as unsigned and stops at the size") {
  for (std::size_t at = 0; at < 8; ++at) {
    auto a = pattern(8, 0), b = a;
    CHECK(sw_memcmp(a.data(), b.data(), 8) == 0);
    a[at] = 0x80;
    b[at] = 0x7F;
    CHECK(sw_memcmp(a.data(), b.data(), 8) > 0);
    CHECK(sw_memcmp(b.data(), a.data(), 8) < 0);
    CHECK(sw_memcmp(a.data(), b.data(), at) == 0);
  }
}

TEST_CASE("strlen and strcmp") {
  CHECK(sw_strlen("") == 0);
  CHECK(sw_strlen("hello") == 5);
  for (const char* a : {"", "a", "ab", "b", "\x80"})
    for (const char* b : {"", "a", "ab", "b", "\x80"})
      CHECK(sign(sw_strcmp(a, b)) == sign(std::strcmp(a, b)));
}
