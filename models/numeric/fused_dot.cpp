// SPDX-License-Identifier: Apache-2.0
#include "models/numeric/fused_dot.h"

#include "models/base/host_dispatch.h"

namespace spica::numeric {

namespace baseline {
void add_fused_dot(SumRule rule, Accumulator accumulator, const FusedDotStep& step);
}
namespace avx2 {
void add_fused_dot(SumRule rule, Accumulator accumulator, const FusedDotStep& step);
}

void take_apart(const std::uint16_t* halves, std::uint32_t count, std::int32_t* significands,
                std::int32_t* exponents) {
  for (std::uint32_t i = 0; i < count; ++i) {
    const int half = halves[i], field = half >> 10 & 0x1F, fraction = half & 0x3FF;
    const int magnitude = field == 0 ? fraction : 0x400 | fraction;
    const int infinity_or_nan = fraction == 0 ? Parts::kInfinity : Parts::kNan;
    const int subnormal = fraction == 0 ? Parts::kZero : -14;
    significands[i] = (half & 0x8000) != 0 ? -magnitude : magnitude;
    exponents[i] = field == 0x1F ? infinity_or_nan : field == 0 ? subnormal : field - 15;
  }
}

void add_fused_dot(SumRule rule, Accumulator accumulator, const FusedDotStep& step, base::HostCode code) {
  base::host_version(&baseline::add_fused_dot, &avx2::add_fused_dot, code)(rule, accumulator, step);
}
void add_fused_dot(SumRule rule, Accumulator accumulator, const FusedDotStep& step) {
  add_fused_dot(rule, accumulator, step, base::host_code());
}

}  // namespace spica::numeric
