// SPDX-License-Identifier: Apache-2.0
// The integer arithmetic against the host's floating-point unit, bits and flags.
#include "models/isa/soft_float.h"

#include <random>

#include "testbenches/unit/isa/one_instruction.h"

namespace spica::isa::test {

namespace {

/// Exponents cluster, so that operands meet; specials, ties and subnormals are frequent.
u32 random_float(std::mt19937& random) {
  constexpr u32 kSpecial[] = {0, 0x80000000, 0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC00001, 0x7F800001,
                              1, 0x80000001, 0x007FFFFF, 0x00800000, 0x7F7FFFFF, 0xFF7FFFFF, 0x3F800000};
  const auto r = static_cast<u32>(random());
  const auto pattern = static_cast<u32>(random());
  u32 fraction = pattern & 0x007FFFFF;
  switch (r >> 8 & 3) {
    case 0: fraction &= 0x007FF000; break;  // short, for ties
    case 1: fraction = 1u << (pattern % 24); break;
    default: break;
  }
  switch (r & 7) {
    case 0: return kSpecial[(r >> 3) % 14];
    case 1: return (pattern & 0x80000000) | (pattern & 0x007FFFFF) >> (r >> 12) % 23;  // subnormal
    case 2: return (pattern & 0xFF800000) | (fraction & 0x007FFFFF);
    case 3: return (pattern & 0x80000000) | (1 + (r >> 12) % 30) << 23 | (fraction & 0x007FFFFF);
    case 4: return (pattern & 0x80000000) | (225 + (r >> 12) % 30) << 23 | (fraction & 0x007FFFFF);
    default: return (pattern & 0x80000000) | (115 + (r >> 12) % 26) << 23 | (fraction & 0x007FFFFF);
  }
}

struct Operation {
  u32 word;
  u32 (*soft)(u32 a, u32 b, u32 c, unsigned rounding, std::uint8_t& flags);
};
const Operation kOperations[] = {
    {0x00C5F553, [](u32 a, u32 b, u32, unsigned r, std::uint8_t& f) { return soft::add(a, b, r, f); }},
    {0x10C5F553, [](u32 a, u32 b, u32, unsigned r, std::uint8_t& f) { return soft::multiply(a, b, r, f); }},
    {0x18C5F553, [](u32 a, u32 b, u32, unsigned r, std::uint8_t& f) { return soft::divide(a, b, r, f); }},
    {0x5805F553, [](u32 a, u32, u32, unsigned r, std::uint8_t& f) { return soft::sqrt(a, r, f); }},
    {0x68C5F543, [](u32 a, u32 b, u32 c, unsigned r,
                    std::uint8_t& f) { return soft::fused_multiply_add(a, b, c, r, f); }},
    {0xD005F553, [](u32 a, u32, u32, unsigned r, std::uint8_t& f) { return soft::from_signed(a, r, f); }},
    {0xD015F553, [](u32 a, u32, u32, unsigned r, std::uint8_t& f) { return soft::from_unsigned(a, r, f); }},
};

}  // namespace

TEST_CASE("integer arithmetic equals the host's unit in the four modes that has") {
  std::mt19937 random(7);
  const LaneKernels* host = all_kernels().back();
  const UseKernels use(host);
  RegisterFile registers(8);
  for (const Operation& operation : kOperations) {
    const Instruction in = decode(operation.word);
    for (unsigned rounding = 0; rounding < 4; ++rounding) {
      for (int i = 0; i < 4000; ++i) {
        u32 a[8], b[8], c[8];
        for (unsigned lane = 0; lane < 8; ++lane) {
          a[lane] = random_float(random);
          b[lane] = random_float(random);
          c[lane] = random_float(random);
          // products meet their addend
          if (lane % 2 == 0) c[lane] = (a[lane] + b[lane] - 0x3F800000) ^ (c[lane] & 0x80000003);
        }
        if (in.rs1 != kNoRegister) std::memcpy(registers.row(in.rs1), a, sizeof a);
        if (in.rs2 != kNoRegister) std::memcpy(registers.row(in.rs2), b, sizeof b);
        if (in.rs3 != kNoRegister) std::memcpy(registers.row(in.rs3), c, sizeof c);
        const unsigned probe = static_cast<unsigned>(i) % 8;  // whose flags are compared
        FloatState state;
        state.frm = static_cast<std::uint8_t>(rounding);
        state.fflags = i % 3 == 0 ? 0 : kInexact;
        const std::uint8_t accrued = state.fflags;
        execute(in, 0, registers, 0xFF, state);
        FloatState alone{static_cast<std::uint8_t>(rounding), accrued};
        std::uint8_t all_flags = accrued;
        for (unsigned lane = 0; lane < 8; ++lane) {
          std::uint8_t flags = accrued;
          const u32 expected = operation.soft(a[lane], b[lane], c[lane], rounding, flags);
          all_flags |= flags;
          if (registers.row(in.rd)[lane] != expected) {
            INFO(disassemble(in, 0) << std::hex << " of " << a[lane] << " " << b[lane] << " " << c[lane]
                                    << " mode " << rounding);
            REQUIRE(registers.row(in.rd)[lane] == expected);
          }
          if (lane == probe) {
            execute(in, 0, registers, 1u << lane, alone);
            if (alone.fflags != flags) {
              INFO(disassemble(in, 0) << std::hex << " of " << a[lane] << " " << b[lane] << " " << c[lane]
                                      << " mode " << rounding);
              REQUIRE(unsigned{alone.fflags} == unsigned{flags});
            }
          }
        }
        REQUIRE(unsigned{state.fflags} == unsigned{all_flags});
      }
    }
  }
}

TEST_CASE("ties away from zero give the neighbour that is nearer, or the larger one") {
  // The exact product of two floats fits a double, and so do the distances to both neighbours.
  std::mt19937 random(8);
  for (int i = 0; i < 20000; ++i) {
    const u32 a = 0x3F800000 | (static_cast<u32>(random()) & 0x007FFF00);
    const u32 b = 0x3F800000 | (static_cast<u32>(random()) & (i % 2 == 0 ? 0x00600000 : 0x007FFFFF));
    std::uint8_t ignored = 0, flags = 0;
    float x, y, below, above;
    const u32 down = soft::multiply(a, b, kRdn, ignored), up = soft::multiply(a, b, kRup, ignored);
    std::memcpy(&x, &a, 4);
    std::memcpy(&y, &b, 4);
    std::memcpy(&below, &down, 4);
    std::memcpy(&above, &up, 4);
    const double exact = double{x} * double{y};
    const u32 expected = exact - below < above - exact ? down : up;
    REQUIRE(soft::multiply(a, b, kRmm, flags) == expected);
    REQUIRE((flags == kInexact) == (down != up));
  }
}

}  // namespace spica::isa::test
