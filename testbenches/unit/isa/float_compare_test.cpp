// SPDX-License-Identifier: Apache-2.0
#include "testbenches/unit/isa/one_instruction.h"

namespace spica::isa::test::compare {

using namespace testbench::rv;

namespace {

constexpr u32 kNan = 0x7FC00000, kOtherNan = 0xFFC12345, kSignalling = 0x7F800001;
constexpr u32 kInf = 0x7F800000, kMinusInf = 0xFF800000, kMinusZero = 0x80000000;
constexpr u32 kOne = 0x3F800000, kMinusOne = 0xBF800000, kTwo = 0x40000000;

constexpr u32 op(u32 f7, u32 f3, u32 rs2 = 12) { return r_type(0x53, f3, f7, 10, 11, rs2); }
constexpr u32 kSgnj = op(0x10, 0), kSgnjn = op(0x10, 1), kSgnjx = op(0x10, 2);
constexpr u32 kMin = op(0x14, 0), kMax = op(0x14, 1);
constexpr u32 kLe = op(0x50, 0), kLt = op(0x50, 1), kEq = op(0x50, 2);
constexpr u32 kClass = op(0x70, 1, 0), kMvXW = op(0x70, 0, 0), kMvWX = op(0x78, 0, 0);

struct Case {
  u32 word, a, b, expected;
  unsigned flags;
};
const Case kCases[] = {
    {kSgnj, kOne, kMinusInf, kMinusOne, 0},
    {kSgnj, kMinusOne, kTwo, kOne, 0},
    {kSgnj, kSignalling, kMinusOne, 0xFF800001, 0},  // NaNs pass untouched
    {kSgnjn, kOne, kMinusOne, kOne, 0},
    {kSgnjn, kOne, kTwo, kMinusOne, 0},
    {kSgnjx, kMinusOne, kMinusOne, kOne, 0},
    {kSgnjx, kOne, kMinusOne, kMinusOne, 0},
    {kMin, kOne, kTwo, kOne, 0},
    {kMin, kOne, kMinusOne, kMinusOne, 0},
    {kMin, 0xBF800001, kMinusOne, 0xBF800001, 0},
    {kMin, 0, kMinusZero, kMinusZero, 0},  // -0 is less than +0 here
    {kMin, kMinusZero, 0, kMinusZero, 0},
    {kMin, kOtherNan, kOne, kOne, 0},
    {kMin, kOne, kNan, kOne, 0},
    {kMin, kOtherNan, kOtherNan, kNan, 0},
    {kMin, kSignalling, kOne, kOne, kInvalid},
    {kMin, kOne, kSignalling, kOne, kInvalid},
    {kMin, kSignalling, kNan, kNan, kInvalid},
    {kMin, kMinusInf, 1, kMinusInf, 0},
    {kMax, kOne, kTwo, kTwo, 0},
    {kMax, kMinusOne, kMinusInf, kMinusOne, 0},
    {kMax, 0, kMinusZero, 0, 0},
    {kMax, kMinusZero, 0, 0, 0},
    {kMax, kOtherNan, kMinusOne, kMinusOne, 0},
    {kMax, kSignalling, kOne, kOne, kInvalid},
    {kMax, kOtherNan, kNan, kNan, 0},
    {kEq, kOne, kOne, 1, 0},
    {kEq, kOne, kTwo, 0, 0},
    {kEq, 0, kMinusZero, 1, 0},
    {kEq, kMinusZero, 0, 1, 0},
    {kEq, kNan, kNan, 0, 0},  // quiet
    {kEq, kSignalling, kOne, 0, kInvalid},
    {kEq, kOne, kSignalling, 0, kInvalid},
    {kLt, kOne, kTwo, 1, 0},
    {kLt, kOne, kOne, 0, 0},
    {kLt, kMinusOne, 0xBF800001, 0, 0},
    {kLt, 0xBF800001, kMinusOne, 1, 0},
    {kLt, kMinusZero, 0, 0, 0},
    {kLt, 0x80000001, 0, 1, 0},
    {kLt, kMinusInf, kInf, 1, 0},
    {kLt, kNan, kOne, 0, kInvalid},  // signalling
    {kLt, kOne, kNan, 0, kInvalid},
    {kLe, kOne, kOne, 1, 0},
    {kLe, kTwo, kOne, 0, 0},
    {kLe, 0, kMinusZero, 1, 0},
    {kLe, kInf, kInf, 1, 0},
    {kLe, kOne, kNan, 0, kInvalid},
    {kLe, kSignalling, kNan, 0, kInvalid},
    {kClass, kMinusInf, 0, 1 << 0, 0},
    {kClass, kMinusOne, 0, 1 << 1, 0},
    {kClass, 0x80800000, 0, 1 << 1, 0},
    {kClass, 0x807FFFFF, 0, 1 << 2, 0},
    {kClass, 0x80000001, 0, 1 << 2, 0},
    {kClass, kMinusZero, 0, 1 << 3, 0},
    {kClass, 0, 0, 1 << 4, 0},
    {kClass, 1, 0, 1 << 5, 0},
    {kClass, 0x00800000, 0, 1 << 6, 0},
    {kClass, 0x7F7FFFFF, 0, 1 << 6, 0},
    {kClass, kInf, 0, 1 << 7, 0},
    {kClass, kSignalling, 0, 1 << 8, 0},
    {kClass, 0xFFBFFFFF, 0, 1 << 8, 0},
    {kClass, kNan, 0, 1 << 9, 0},
    {kClass, kOtherNan, 0, 1 << 9, 0},
    {kMvXW, kSignalling, 0, kSignalling, 0},
    {kMvWX, 0xFF812345, 0, 0xFF812345, 0},
};

}  // namespace

TEST_CASE("sign injection, minimum, maximum, comparison, class and moves follow the specification") {
  for (const Case& c : kCases) {
    INFO(disassemble(decode(c.word), 0) << std::hex << " of " << c.a << " " << c.b);
    CHECK(run(c.word, c.a, c.b) == Outcome{c.expected, c.flags});
  }
}

TEST_CASE("every such instruction has a case") {
  CHECK(missing(kCases, {Unit::kFpuMisc}) == std::set<std::string>{});
}

TEST_CASE("comparisons agree with the host on ordinary numbers") {
  u32 a = 1;
  for (int i = 0; i < 300; ++i) {
    a = a * 1664525 + 1013904223;
    const u32 b = i % 3 == 0 ? a ^ 0x80000000 : a + (i % 7 - 3u);
    float x, y;
    std::memcpy(&x, &a, 4);
    std::memcpy(&y, &b, 4);
    if (x != x || y != y) continue;
    CHECK(run(kLt, a, b).value == u32{x < y});
    CHECK(run(kLe, a, b).value == u32{x <= y});
    CHECK(run(kEq, a, b).value == u32{x == y});
  }
}

TEST_CASE("a comparison into x0 still raises its flag") {
  for (const LaneKernels* set : all_kernels()) {
    const UseKernels use(set);
    RegisterFile registers(8);
    registers.row(32 + 11)[3] = kSignalling;
    FloatState state;
    execute(decode(r_type(0x53, 2, 0x50, 0, 11, 12)), 0, registers, 0xFF, state);
    CHECK(state.fflags == kInvalid);
    state.fflags = 0;
    registers.row(32 + 11)[3] = bits(1.5f);
    execute(decode(r_type(0x53, 0, 0x60, 0, 11, 0)), 0, registers, 0xFF, state);  // fcvt.w.s
    CHECK(state.fflags == kInexact);
    for (unsigned lane = 0; lane < 8; ++lane) CHECK(registers.row(0)[lane] == 0);
  }
}

}  // namespace spica::isa::test::compare
