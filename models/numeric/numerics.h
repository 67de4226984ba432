// SPDX-License-Identifier: Apache-2.0
// Rules of sums as values of parameters.
#pragma once

#include <cstdint>
#include <string_view>

#include "models/base/params.h"
#include "models/numeric/format.h"
#include "models/numeric/sum_rule.h"

namespace spica::numeric {

/// Order and rounding of additions: that of the unit, keys of all_silicon(), and those of this project.
enum class Numerics : std::uint8_t {
  kOfUnit,
  kTreeFp32,
  kVolta,
  kTuring,
  kAmpere,
  kAda,
  kHopper,
  kHopperMma,
  kBlackwell,
  kBlackwellMma,
  kCdna1,
  kCdna2,
  kCdna3,
  kCustom
};

/// The values of a parameter. `of_unit`: the name of the order of the unit itself; `more`: further values.
template <class... More>
constexpr auto numerics_choices(std::string_view of_unit, More... more) {
  using Choice = base::Choice<Numerics>;
  return base::Choices{
      Choice{of_unit, Numerics::kOfUnit},        Choice{"tree_fp32", Numerics::kTreeFp32},
      Choice{"volta", Numerics::kVolta},         Choice{"turing", Numerics::kTuring},
      Choice{"ampere", Numerics::kAmpere},       Choice{"ada", Numerics::kAda},
      Choice{"hopper", Numerics::kHopper},       Choice{"hopper_mma", Numerics::kHopperMma},
      Choice{"blackwell", Numerics::kBlackwell}, Choice{"blackwell_mma", Numerics::kBlackwellMma},
      Choice{"cdna1", Numerics::kCdna1},         Choice{"cdna2", Numerics::kCdna2},
      Choice{"cdna3", Numerics::kCdna3},         more...};
}

/// The result of sums in that format.
constexpr SumResult sum_result(Format sums) {
  return sums == Format::kFp16 ? SumResult::kFp16 : SumResult::kFp32;
}

}  // namespace spica::numeric
