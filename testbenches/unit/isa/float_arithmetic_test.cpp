// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "testbenches/unit/isa/one_instruction.h"

namespace spica::isa::test::arithmetic {

using namespace testbench::rv;

namespace {

constexpr u32 kNan = 0x7FC00000, kSignalling = 0x7F800001, kOtherNan = 0xFFC12345;
constexpr u32 kInf = 0x7F800000, kMinusInf = 0xFF800000, kZero = 0, kMinusZero = 0x80000000;
constexpr u32 kOne = 0x3F800000, kMinusOne = 0xBF800000, kTwo = 0x40000000, kThree = 0x40400000;
constexpr u32 kLargest = 0x7F7FFFFF, kSmallestNormal = 0x00800000, kLargestSubnormal = 0x007FFFFF;
constexpr u32 kSmallest = 1;                             // 2^-149
constexpr u32 kHalfUlp = 0x33800000;                     // of 1: 2^-24
constexpr u32 kHalf = 0x3F000000, kFour = 0x40800000;

constexpr u32 op(u32 f7, u32 rm = 7) { return r_type(0x53, rm, f7, 10, 11, 12); }
constexpr u32 fused(u32 opcode, u32 rm = 7) {
  return 13u << 27 | 12 << 20 | 11 << 15 | rm << 12 | 10 << 7 | opcode;
}
constexpr u32 kAdd = op(0x00), kSub = op(0x04), kMul = op(0x08), kDiv = op(0x0C);
constexpr u32 kSqrt = r_type(0x53, 7, 0x2C, 10, 11, 0);
constexpr u32 kMadd = fused(0x43), kMsub = fused(0x47), kNmsub = fused(0x4B), kNmadd = fused(0x4F);
constexpr u32 with(u32 word, u32 rm) { return (word & ~(7u << 12)) | rm << 12; }

struct Case {
  u32 word, a, b, c, expected;
  unsigned flags;
};
const Case kCases[] = {
    {kAdd, kOne, kTwo, 0, kThree, 0},
    {kAdd, kOne, kHalfUlp, 0, kOne, kInexact},
    {kAdd, kLargest, kLargest, 0, kInf, kOverflow | kInexact},
    {kAdd, kInf, kMinusInf, 0, kNan, kInvalid},
    {kAdd, kInf, kMinusOne, 0, kInf, 0},
    {kAdd, kSmallestNormal, 0x80000001, 0, kLargestSubnormal, 0},  // subnormals are kept and exact
    {kAdd, kSmallest, kSmallest, 0, 2, 0},
    {kAdd, kZero, kMinusZero, 0, kZero, 0},
    {kAdd, kMinusZero, kMinusZero, 0, kMinusZero, 0},
    {with(kAdd, kRdn), kOne, kMinusOne, 0, kMinusZero, 0},
    {with(kAdd, kRup), kOne, kMinusOne, 0, kZero, 0},
    {kSub, kOne, kTwo, 0, kMinusOne, 0},
    {kSub, kInf, kInf, 0, kNan, kInvalid},
    {kSub, kOne, kOne, 0, kZero, 0},
    {with(kSub, kRmm), kOne, kOne, 0, kZero, 0},
    {kMul, kTwo, kHalf, 0, kOne, 0},
    {kMul, kZero, kInf, 0, kNan, kInvalid},
    {kMul, kMinusOne, kZero, 0, kMinusZero, 0},
    {kMul, kLargest, kTwo, 0, kInf, kOverflow | kInexact},
    {kMul, kSmallest, kHalf, 0, kZero, kUnderflow | kInexact},
    {kMul, kSmallestNormal, kHalf, 0, 0x00400000, 0},  // tiny but exact: no underflow
    {kMul, 0x00FFFFFF, kHalf, 0, 0x00800000, kUnderflow | kInexact},  // 24 bits reach not 2^-126
    {kMul, 0x3F7FFFFF, kSmallestNormal, 0, 0x00800000, kUnderflow | kInexact},
    {kDiv, kOne, kThree, 0, 0x3EAAAAAB, kInexact},
    {kDiv, kThree, kZero, 0, kInf, kDivideByZero},
    {kDiv, kMinusOne, kZero, 0, kMinusInf, kDivideByZero},
    {kDiv, kZero, kZero, 0, kNan, kInvalid},
    {kDiv, kInf, kInf, 0, kNan, kInvalid},
    {kDiv, kOne, kMinusInf, 0, kMinusZero, 0},
    {kDiv, kSmallest, kTwo, 0, kZero, kUnderflow | kInexact},
    {kDiv, kLargest, kHalf, 0, kInf, kOverflow | kInexact},
    {kSqrt, kFour, 0, 0, kTwo, 0},
    {kSqrt, kTwo, 0, 0, 0x3FB504F3, kInexact},
    {kSqrt, kMinusOne, 0, 0, kNan, kInvalid},
    {kSqrt, kMinusZero, 0, 0, kMinusZero, 0},
    {kSqrt, kInf, 0, 0, kInf, 0},
    {kSqrt, kMinusInf, 0, 0, kNan, kInvalid},
    {kSqrt, kSmallest, 0, 0, 0x1A3504F3, kInexact},
    {kMadd, kTwo, kThree, kOne, 0x40E00000, 0},                  // 7
    {kMsub, kTwo, kThree, kOne, 0x40A00000, 0},                  // 5
    {kNmsub, kTwo, kThree, kOne, 0xC0A00000, 0},                 // -5
    {kNmadd, kTwo, kThree, kOne, 0xC0E00000, 0},                 // -7
    {kMadd, 0x3F800001, 0x3F800001, 0xBF800002, 0x28800000, 0},  // rounded once: 2^-46 survives
    {kMadd, kOne, kMinusOne, kOne, kZero, 0},
    {kNmadd, kZero, kOne, kZero, kMinusZero, 0},
    {kMadd, kZero, kInf, kOne, kNan, kInvalid},
    {kMadd, kZero, kInf, kNan, kNan, kInvalid},  // also with a quiet NaN
    {kMadd, kInf, kZero, kOtherNan, kNan, kInvalid},
    {kNmsub, kInf, kMinusZero, kNan, kNan, kInvalid},
    {kMadd, kOne, kNan, kInf, kNan, 0},
    {kMadd, kInf, kOne, kMinusInf, kNan, kInvalid},
    {kMsub, kInf, kOne, kInf, kNan, kInvalid},
    {kNmadd, kInf, kOne, kMinusInf, kNan, kInvalid},
    {kMadd, kLargest, kTwo, kMinusInf, kMinusInf, 0},  // the product alone does not overflow
    {kMadd, kLargest, kTwo, 0xFF7FFFFF, kLargest, 0},
};

}  // namespace

TEST_CASE("arithmetic instructions give the results and flags of the specification") {
  for (const Case& c : kCases) {
    INFO(disassemble(decode(c.word), 0) << std::hex << " of " << c.a << " " << c.b << " " << c.c);
    CHECK(run(c.word, c.a, c.b, c.c) == Outcome{c.expected, c.flags});
  }
}

TEST_CASE("every arithmetic instruction has a case") {
  CHECK(missing(kCases, {Unit::kFpuFma, Unit::kFpuDivide, Unit::kFpuSqrt}) == std::set<std::string>{});
}

TEST_CASE("NaN results are canonical and only signalling NaNs are invalid") {
  for (const u32 word : {kAdd, kSub, kMul, kDiv, kSqrt, kMadd, kMsub, kNmsub, kNmadd}) {
    for (const u32 rm : {0u, 1u, 2u, 3u, 4u}) {
      const u32 w = with(word, rm);
      INFO(disassemble(decode(w), 0));
      CHECK(run(w, kOtherNan, kOne, kOne) == Outcome{kNan, 0});
      CHECK(run(w, 0xFF800001, kOne, kOne) == Outcome{kNan, kInvalid});
      if (word != kSqrt) {
        CHECK(run(w, kOne, kOtherNan, kOne) == Outcome{kNan, 0});
        CHECK(run(w, kNan, kSignalling, kOne) == Outcome{kNan, kInvalid});
      }
      if ((word & 0x7F) != 0x53) {
        CHECK(run(w, kOne, kOne, kOtherNan) == Outcome{kNan, 0});
        CHECK(run(w, kNan, kOne, kSignalling) == Outcome{kNan, kInvalid});
      }
    }
  }
}

TEST_CASE("the five rounding modes differ as they should, static and dynamic") {
  struct Modes {
    u32 word, a, b, c;
    u32 expected[5];  // nearest even, towards zero, down, up, nearest away
    unsigned flags;
  };
  constexpr u32 kNext = 0x3F800001;  // 1 + ulp
  const Modes cases[] = {
      // ties: 1 + half an ulp, above an even and an odd neighbour
      {kAdd, kOne, kHalfUlp, 0, {kOne, kOne, kOne, kNext, kNext}, kInexact},
      {kAdd, kNext, kHalfUlp, 0, {kNext + 1, kNext, kNext, kNext + 1, kNext + 1}, kInexact},
      {kSub,
       kMinusOne,
       kHalfUlp,
       0,
       {kMinusOne, kMinusOne, kMinusOne + 1, kMinusOne, kMinusOne + 1},
       kInexact},
      // just below and just above a tie
      {kAdd, kOne, kHalfUlp - 1, 0, {kOne, kOne, kOne, kNext, kOne}, kInexact},
      {kAdd, kOne, kHalfUlp + 1, 0, {kNext, kOne, kOne, kNext, kNext}, kInexact},
      // far smaller addends leave only a trace
      {kAdd, kOne, kSmallest, 0, {kOne, kOne, kOne, kNext, kOne}, kInexact},
      {kSub, kOne, kSmallest, 0, {kOne, kOne - 1, kOne - 1, kOne, kOne}, kInexact},
      // product with a tie: (1 + 2^-12) squared has bit 24 set: 1 + 2^-11 + 2^-24
      {kMul,
       0x3F800800,
       0x3F800800,
       0,
       {0x3F801000, 0x3F801000, 0x3F801000, 0x3F801001, 0x3F801001},
       kInexact},
      {kMadd,
       0x3F800800,
       0x3F800800,
       kSmallest,
       {0x3F801001, 0x3F801000, 0x3F801000, 0x3F801001, 0x3F801001},
       kInexact},
      {kMadd,
       0x3F800800,
       0x3F800800,
       kSmallest | kMinusZero,
       {0x3F801000, 0x3F801000, 0x3F801000, 0x3F801001, 0x3F801000},
       kInexact},
      {kNmadd,
       kOne,
       kOne,
       kHalfUlp,
       {kMinusOne, kMinusOne, kMinusOne + 1, kMinusOne, kMinusOne + 1},
       kInexact},
      {kDiv, kOne, kThree, 0, {0x3EAAAAAB, 0x3EAAAAAA, 0x3EAAAAAA, 0x3EAAAAAB, 0x3EAAAAAB}, kInexact},
      {kDiv, kMinusOne, kThree, 0, {0xBEAAAAAB, 0xBEAAAAAA, 0xBEAAAAAB, 0xBEAAAAAA, 0xBEAAAAAB}, kInexact},
      {kSqrt, kTwo, 0, 0, {0x3FB504F3, 0x3FB504F3, 0x3FB504F3, 0x3FB504F4, 0x3FB504F3}, kInexact},
      // subnormal ties: half of an odd number of smallest steps
      {kMul, 3, kHalf, 0, {2, 1, 1, 2, 2}, kUnderflow | kInexact},
      {kMul, 5, kHalf, 0, {2, 2, 2, 3, 3}, kUnderflow | kInexact},
      {kMul, kSmallest, kHalf, 0, {0, 0, 0, 1, 1}, kUnderflow | kInexact},
      {kDiv,
       0x80000001,
       kTwo,
       0,
       {kMinusZero, kMinusZero, 0x80000001, kMinusZero, 0x80000001},
       kUnderflow | kInexact},
      // overflow
      {kMul, kLargest, kTwo, 0, {kInf, kLargest, kLargest, kInf, kInf}, kOverflow | kInexact},
      {kMul,
       kLargest,
       0xC0000000,
       0,
       {kMinusInf, 0xFF7FFFFF, kMinusInf, 0xFF7FFFFF, kMinusInf},
       kOverflow | kInexact},
  };
  for (const Modes& c : cases) {
    for (unsigned rm = 0; rm < 5; ++rm) {
      INFO(disassemble(decode(with(c.word, rm)), 0) << std::hex << " of " << c.a << " " << c.b << " " << c.c);
      const Outcome expected{c.expected[rm], c.flags};
      CHECK(run(with(c.word, rm), c.a, c.b, c.c) == expected);
      CHECK(run(c.word, c.a, c.b, c.c, rm) == expected);
    }
  }
}

TEST_CASE("half an ulp beyond the largest number overflows only when the mode rounds it away") {
  const u32 half_step = 0x73000000;  // 2^103
  CHECK(run(with(kAdd, kRne), kLargest, half_step) == Outcome{kInf, kOverflow | kInexact});
  CHECK(run(with(kAdd, kRmm), kLargest, half_step) == Outcome{kInf, kOverflow | kInexact});
  CHECK(run(with(kAdd, kRtz), kLargest, half_step) == Outcome{kLargest, kInexact});
  CHECK(run(with(kAdd, kRdn), kLargest, half_step) == Outcome{kLargest, kInexact});
  CHECK(run(with(kAdd, kRup), kLargest, half_step) == Outcome{kInf, kOverflow | kInexact});
  CHECK(run(with(kAdd, kRmm), kLargest, half_step - 1) == Outcome{kLargest, kInexact});
}

TEST_CASE("reserved rounding modes are invalid, static and dynamic") {
  FloatState state;
  for (unsigned rm = 0; rm < 8; ++rm) {
    state.frm = 0;
    CHECK(rounding_is_valid(decode(with(kAdd, rm)), state) == (rm <= 4 || rm == 7));
    state.frm = static_cast<std::uint8_t>(rm);
    CHECK(rounding_is_valid(decode(kAdd), state) == (rm <= 4));
    CHECK(rounding_is_valid(decode(with(kAdd, 0)), state));
    CHECK(rounding_is_valid(decode(add(1, 2, 3)), state));
    CHECK(rounding_is_valid(decode(0x28C59553), state));  // fmax.s: funct3 is no rounding mode
  }
}

}  // namespace spica::isa::test::arithmetic
