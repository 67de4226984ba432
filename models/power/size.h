// SPDX-License-Identifier: Apache-2.0
// The sizes that energies depend on, for tables and machines.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "models/base/params.h"

namespace spica::power {

/// The order is that of kSizes.
enum class Size : std::uint8_t {
  kBits,
  kWidth,
  kWays,
  kInputs,
  kOutputs,
  kLanes,
  kWarps,
  kDim,
  kSide,
  kChipSide,
};

inline constexpr base::Choices kSizes{
    base::Choice<Size>{"bits", Size::kBits},          // of one macro of a memory
    base::Choice<Size>{"width", Size::kWidth},        // bits of one access
    base::Choice<Size>{"ways", Size::kWays},          // of a cache
    base::Choice<Size>{"inputs", Size::kInputs},      // of a crossbar
    base::Choice<Size>{"outputs", Size::kOutputs},    // of a crossbar
    base::Choice<Size>{"lanes", Size::kLanes},        // of a core
    base::Choice<Size>{"warps", Size::kWarps},        // of a core
    base::Choice<Size>{"dim", Size::kDim},            // rows of an array
    base::Choice<Size>{"side", Size::kSide},          // mm, square root of the area of the block
    base::Choice<Size>{"chip_side", Size::kChipSide},  // mm, square root of the area of the machine
};
inline constexpr std::size_t kSizeCount = std::size(kSizes.items);

/// A value for each size; 0: not present.
class Sizes {
 public:
  double& operator[](Size size) { return values_[static_cast<std::size_t>(size)]; }
  double operator[](Size size) const { return values_[static_cast<std::size_t>(size)]; }

 private:
  std::array<double, kSizeCount> values_{};
};

/// Parses "bits 262144, side 0.333"; empty if the text is invalid.
std::optional<Sizes> parse_sizes(std::string_view text);
/// "bits, width, ways ...", for messages.
std::string size_names();
/// "128 KiB", "8 lanes", "1.7 mm".
std::string size_text(Size size, double value);

}  // namespace spica::power
