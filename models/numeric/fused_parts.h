// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/numeric/format.h"

namespace spica::numeric {

/// Decomposes numbers of any floating-point format, as take_apart() of fused_dot.h does for FP16: `index[i]` is the
/// position of number i in `words`, which holds consecutive numbers from bit 0 on.
///
/// True: all are finite with exponents in the range of FP16 and products that FP32 holds, so that the quick code of
/// fused_dot.h is exact. Otherwise FusedDot::finite must be false.
bool take_apart(Format format, const std::uint32_t* words, const std::uint32_t* index, std::uint32_t count,
                float* values, std::int32_t* exponents);
/// The same for values of the format.
bool take_apart(Format format, const float* numbers, std::uint32_t count, float* values,
                std::int32_t* exponents);

}  // namespace spica::numeric
