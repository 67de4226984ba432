// SPDX-License-Identifier: Apache-2.0
#include "testbenches/unit/isa/one_instruction.h"

namespace spica::isa::test::integers {

using namespace testbench::rv;

namespace {

constexpr u32 kMin = 0x80000000, kMax = 0x7FFFFFFF, kMinus1 = 0xFFFFFFFF;
constexpr u32 alu(u32 f3, u32 f7) { return r_type(0x33, f3, f7, 10, 11, 12); }
constexpr u32 imm(u32 f3, int value) { return i_type(0x13, f3, 10, 11, value); }

struct Case {
  u32 word, a, b, expected;
};
const Case kCases[] = {
    {alu(0, 0), 2, 3, 5},
    {alu(0, 0), kMax, 1, kMin},
    {alu(0, 0x20), 2, 3, kMinus1},
    {alu(0, 0x20), kMin, 1, kMax},
    {alu(1, 0), 1, 31, kMin},
    {alu(1, 0), 3, 33, 6},  // the amount is five bits
    {alu(2, 0), kMin, 0, 1},
    {alu(2, 0), 0, kMin, 0},
    {alu(2, 0), 5, 5, 0},
    {alu(3, 0), kMin, 0, 0},
    {alu(3, 0), 0, kMin, 1},
    {alu(4, 0), 0xFF00FF00, 0x0FF00FF0, 0xF0F0F0F0},
    {alu(5, 0), kMin, 31, 1},
    {alu(5, 0), kMin, 32, kMin},
    {alu(5, 0x20), kMin, 31, kMinus1},
    {alu(5, 0x20), 0xFFFFFF00, 36, 0xFFFFFFF0},
    {alu(6, 0), 0x0F, 0xF0, 0xFF},
    {alu(7, 0), 0x3C, 0x0F, 0x0C},
    {imm(0, -1), 0, 0, kMinus1},
    {imm(0, 2047), 1, 0, 2048},
    {imm(2, -1), 0xFFFFFFFE, 0, 1},
    {imm(2, -1), 0, 0, 0},
    {imm(3, -1), 0, 0, 1},  // the immediate extends its sign and then counts as unsigned
    {imm(3, 1), 0, 0, 1},
    {imm(4, -1), 0x12345678, 0, 0xEDCBA987},
    {imm(6, 0x70), 0x0F, 0, 0x7F},
    {imm(7, -16), 0x12345678, 0, 0x12345670},
    {imm(1, 4), 0xF0000001, 0, 0x10},
    {imm(5, 4), 0xF0000010, 0, 0x0F000001},
    {imm(5, 0x404), 0xF0000010, 0, 0xFF000001},
    {0x12345000 | 10 << 7 | 0x37, 0, 0, 0x12345000},
    {0xFFFFF000 | 10 << 7 | 0x17, 0, 0, 0x7FFFF000},  // pc is 0x80000000
    // M
    {alu(0, 1), 7, 6, 42},
    {alu(0, 1), kMinus1, kMinus1, 1},
    {alu(0, 1), 0x10001, 0x10001, 0x20001},
    {alu(1, 1), kMin, kMin, 0x40000000},
    {alu(1, 1), kMinus1, kMinus1, 0},
    {alu(1, 1), kMinus1, 1, kMinus1},
    {alu(1, 1), kMax, kMin, 0xC0000000},
    {alu(2, 1), kMinus1, kMinus1, kMinus1},
    {alu(2, 1), kMin, kMinus1, kMin},
    {alu(2, 1), kMax, kMinus1, 0x7FFFFFFE},
    {alu(3, 1), kMinus1, kMinus1, 0xFFFFFFFE},
    {alu(3, 1), kMin, 2, 1},
    {alu(4, 1), static_cast<u32>(-7), 2, static_cast<u32>(-3)},
    {alu(4, 1), 7, static_cast<u32>(-2), static_cast<u32>(-3)},
    {alu(4, 1), 7, 0, kMinus1},
    {alu(4, 1), kMin, kMinus1, kMin},  // the only overflow
    {alu(5, 1), kMin, kMinus1, 0},
    {alu(5, 1), kMinus1, 16, 0x0FFFFFFF},
    {alu(5, 1), 5, 0, kMinus1},
    {alu(6, 1), static_cast<u32>(-7), 2, kMinus1},
    {alu(6, 1), 7, static_cast<u32>(-2), 1},
    {alu(6, 1), 7, 0, 7},
    {alu(6, 1), kMin, kMinus1, 0},
    {alu(7, 1), kMinus1, 16, 15},
    {alu(7, 1), 5, 0, 5},
    {alu(7, 1), kMin, kMinus1, kMin},
};

}  // namespace

TEST_CASE("integer instructions give the results of the specification") {
  for (const Case& c : kCases) {
    INFO(disassemble(decode(c.word), 0x80000000) << " of " << c.a << " and " << c.b);
    CHECK(run(c.word, c.a, c.b, 0, 0, 0x80000000) == Outcome{c.expected, 0});
  }
}

TEST_CASE("every integer instruction has a case") {
  CHECK(missing(kCases, {Unit::kAlu, Unit::kMul, Unit::kDiv}) == std::set<std::string>{});
}

TEST_CASE("jal and jalr leave the address of the next instruction") {
  CHECK(run(0x010000EF, 0, 0, 0, 0, 0x80000010).value == 0x80000014);  // jal ra,+16
  CHECK(run(0x000580E7, 0x1234, 0, 0, 0, 0x80000010).value == 0x80000014);
}

TEST_CASE("high products agree with 64-bit arithmetic on random operands") {
  u32 a = 0x12345678, b = 0x9ABCDEF0;
  for (int i = 0; i < 200; ++i) {
    a = a * 1664525 + 1013904223;
    b = b * 22695477 + 1;
    const auto sa = static_cast<std::int32_t>(a), sb = static_cast<std::int32_t>(b);
    CHECK(run(alu(1, 1), a, b).value == static_cast<u32>((std::int64_t{sa} * sb) >> 32));
    CHECK(run(alu(2, 1), a, b).value == static_cast<u32>((std::int64_t{sa} * std::int64_t{b}) >> 32));
    CHECK(run(alu(3, 1), a, b).value == static_cast<u32>((std::uint64_t{a} * b) >> 32));
  }
}

}  // namespace spica::isa::test::integers
