// SPDX-License-Identifier: Apache-2.0
#include "testbenches/unit/isa/one_instruction.h"

namespace spica::isa::test::convert {

using namespace testbench::rv;

namespace {

constexpr u32 kToSigned = r_type(0x53, 7, 0x60, 10, 11, 0), kToUnsigned = r_type(0x53, 7, 0x60, 10, 11, 1);
constexpr u32 kFromSigned = r_type(0x53, 7, 0x68, 10, 11, 0),
              kFromUnsigned = r_type(0x53, 7, 0x68, 10, 11, 1);
constexpr u32 kMin = 0x80000000, kMax = 0x7FFFFFFF, kAll = 0xFFFFFFFF;

struct Case {
  u32 word, a;
  u32 expected[5];  // nearest even, towards zero, down, up, nearest away
  unsigned flags;
};
constexpr u32 minus(u32 value) { return 0 - value; }

const Case kCases[] = {
    {kToSigned, bits(0.0f), {0, 0, 0, 0, 0}, 0},
    {kToSigned, bits(-0.0f), {0, 0, 0, 0, 0}, 0},
    {kToSigned, bits(1.0f), {1, 1, 1, 1, 1}, 0},
    {kToSigned, bits(-7.0f), {minus(7), minus(7), minus(7), minus(7), minus(7)}, 0},
    {kToSigned, bits(0.5f), {0, 0, 0, 1, 1}, kInexact},
    {kToSigned, bits(1.5f), {2, 1, 1, 2, 2}, kInexact},
    {kToSigned, bits(2.5f), {2, 2, 2, 3, 3}, kInexact},
    {kToSigned, bits(-2.5f), {minus(2), minus(2), minus(3), minus(2), minus(3)}, kInexact},
    {kToSigned, bits(-0.75f), {minus(1), 0, minus(1), 0, minus(1)}, kInexact},
    {kToSigned, 1, {0, 0, 0, 1, 0}, kInexact},  // the smallest subnormal
    {kToSigned, 0x80000001, {0, 0, minus(1), 0, 0}, kInexact},
    {kToSigned, bits(8388607.5f), {8388608, 8388607, 8388607, 8388608, 8388608}, kInexact},
    {kToSigned, bits(16777215.0f), {16777215, 16777215, 16777215, 16777215, 16777215}, 0},
    {kToSigned, 0x4EFFFFFF, {0x7FFFFF80, 0x7FFFFF80, 0x7FFFFF80, 0x7FFFFF80, 0x7FFFFF80}, 0},
    {kToSigned, 0xCF000000, {kMin, kMin, kMin, kMin, kMin}, 0},  // -2^31 fits
    {kToSigned, 0x4F000000, {kMax, kMax, kMax, kMax, kMax}, kInvalid},
    {kToSigned, 0xCF000001, {kMin, kMin, kMin, kMin, kMin}, kInvalid},
    {kToSigned, 0x7F800000, {kMax, kMax, kMax, kMax, kMax}, kInvalid},
    {kToSigned, 0xFF800000, {kMin, kMin, kMin, kMin, kMin}, kInvalid},
    {kToSigned, 0x7FC00000, {kMax, kMax, kMax, kMax, kMax}, kInvalid},
    {kToSigned, 0xFFC00000, {kMax, kMax, kMax, kMax, kMax}, kInvalid},
    {kToUnsigned, bits(3.0f), {3, 3, 3, 3, 3}, 0},
    {kToUnsigned, bits(-0.0f), {0, 0, 0, 0, 0}, 0},
    {kToUnsigned, 0x4F7FFFFF, {0xFFFFFF00, 0xFFFFFF00, 0xFFFFFF00, 0xFFFFFF00, 0xFFFFFF00}, 0},
    {kToUnsigned, 0x4F000000, {kMin, kMin, kMin, kMin, kMin}, 0},
    {kToUnsigned, 0x4F800000, {kAll, kAll, kAll, kAll, kAll}, kInvalid},
    {kToUnsigned, bits(-1.0f), {0, 0, 0, 0, 0}, kInvalid},
    {kToUnsigned, 0xFF800000, {0, 0, 0, 0, 0}, kInvalid},
    {kToUnsigned, 0xFFC00000, {kAll, kAll, kAll, kAll, kAll}, kInvalid},
    {kFromSigned, 0, {0, 0, 0, 0, 0}, 0},
    {kFromSigned, 1, {0x3F800000, 0x3F800000, 0x3F800000, 0x3F800000, 0x3F800000}, 0},
    {kFromSigned, kMin, {0xCF000000, 0xCF000000, 0xCF000000, 0xCF000000, 0xCF000000}, 0},
    {kFromSigned, kMax, {0x4F000000, 0x4EFFFFFF, 0x4EFFFFFF, 0x4F000000, 0x4F000000}, kInexact},
    {kFromSigned, 16777217, {0x4B800000, 0x4B800000, 0x4B800000, 0x4B800001, 0x4B800001}, kInexact},
    {kFromSigned, minus(16777217), {0xCB800000, 0xCB800000, 0xCB800001, 0xCB800000, 0xCB800001}, kInexact},
    {kFromUnsigned, 0, {0, 0, 0, 0, 0}, 0},
    {kFromUnsigned, kMin, {0x4F000000, 0x4F000000, 0x4F000000, 0x4F000000, 0x4F000000}, 0},
    {kFromUnsigned, kAll, {0x4F800000, 0x4F7FFFFF, 0x4F7FFFFF, 0x4F800000, 0x4F800000}, kInexact},
    {kFromUnsigned, 0x80000080, {0x4F000000, 0x4F000000, 0x4F000000, 0x4F000001, 0x4F000001}, kInexact},
    {kFromUnsigned, 0x800000FF, {0x4F000001, 0x4F000000, 0x4F000000, 0x4F000001, 0x4F000001}, kInexact},
};

}  // namespace

TEST_CASE("conversions round in all modes and saturate") {
  for (const Case& c : kCases) {
    for (u32 rm = 0; rm < 5; ++rm) {
      const u32 fixed = (c.word & ~(7u << 12)) | rm << 12;
      INFO(disassemble(decode(fixed), 0) << std::hex << " of " << c.a);
      CHECK(run(fixed, c.a) == Outcome{c.expected[rm], c.flags});
      CHECK(run(c.word, c.a, 0, 0, rm) == Outcome{c.expected[rm], c.flags});
    }
  }
}

TEST_CASE("a negative fraction becomes unsigned zero unless rounding makes it -1") {
  const u32 word = kToUnsigned & ~(7u << 12), value = bits(-0.75f);
  CHECK(run(word | kRtz << 12, value) == Outcome{0, kInexact});
  CHECK(run(word | kRup << 12, value) == Outcome{0, kInexact});
  CHECK(run(word | kRdn << 12, value) == Outcome{0, kInvalid});
  CHECK(run(word | kRne << 12, value) == Outcome{0, kInvalid});
  CHECK(run(word | kRmm << 12, value) == Outcome{0, kInvalid});
  CHECK(run(word | kRne << 12, bits(-0.5f)) == Outcome{0, kInexact});
  CHECK(run(word | kRmm << 12, bits(-0.5f)) == Outcome{0, kInvalid});
}

TEST_CASE("every conversion has a case") {
  CHECK(missing(kCases, {Unit::kFpuConvert}) == std::set<std::string>{});
}

}  // namespace spica::isa::test::convert
