// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

/// IEEE 754 single precision in integer arithmetic, with RISC-V's rules for NaN and flags. The lane kernels use it for
/// operations that the host's unit lacks: rounding to nearest with ties away from zero, fused multiply-add on hosts
/// without it, hosts other than x86. Slow (10-30 ns) and exact.
///
/// `rounding`: 0..4 as in the rm field. `flags`: exceptions are ORed in, bits as in fflags;
/// tininess is detected after rounding. Every NaN result is 0x7FC00000.
namespace spica::isa::soft {

std::uint32_t add(std::uint32_t a, std::uint32_t b, unsigned rounding, std::uint8_t& flags);
std::uint32_t multiply(std::uint32_t a, std::uint32_t b, unsigned rounding, std::uint8_t& flags);
/// a * b + c, rounded once.
std::uint32_t fused_multiply_add(std::uint32_t a, std::uint32_t b, std::uint32_t c, unsigned rounding,
                                 std::uint8_t& flags);
std::uint32_t divide(std::uint32_t a, std::uint32_t b, unsigned rounding, std::uint8_t& flags);
std::uint32_t sqrt(std::uint32_t a, unsigned rounding, std::uint8_t& flags);
std::uint32_t from_signed(std::uint32_t a, unsigned rounding, std::uint8_t& flags);
std::uint32_t from_unsigned(std::uint32_t a, unsigned rounding, std::uint8_t& flags);

}  // namespace spica::isa::soft
