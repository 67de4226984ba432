// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/numeric/convert.h"

namespace spica::numeric {

/// Saturates operands and numbers that the DMA converts, in place: finite values beyond the largest number of the
/// format become that number. encode() and round_all() with bounded_overflow() then keep infinities in a format that
/// has them.
void bound_finite(Format format, float* values, std::size_t count);
/// In a format without infinities, infinities also become the largest number.
constexpr Overflow bounded_overflow(Format format) {
  return info(format).specials == Specials::kIeee ? Overflow::kSpecial : Overflow::kSaturate;
}

}  // namespace spica::numeric
