// SPDX-License-Identifier: Apache-2.0
// How a block declares its parameters.
//
// A parameter struct is plain data with defaults and one static function:
//
//   template <class Self, class Visit> static void describe(Self& p, Visit&& field) {
//     field("num_banks", p.num_banks, "banks", Range{1, 64, kPow2}, "contiguous banks", "virgo
//     tile/RadianceSharedMem.scala");
//     field("policy", p.policy, kPolicyChoices, "who wins a bank", "virgo
//     tile/RadianceSharedMem.scala");
//     field("enabled", p.enabled, "merge lanes with one address", "vortex VX_config.vh");
//     field.group("core", p.core, "one SIMT core");
//     The reader, the range check, the unknown-key check, the effective dump and the reference table all use this one
//     declaration. A visitor that only reads gets a `const Self`.
//   }
//
// and, when fields depend on each other:
//
//   template <class Report> static void check(const Params& p, Report&& contradiction) {
//     if (p.a % p.b != 0) contradiction({"a", "b"}, "a must be a multiple of b");
//   }
//
// The reader, the range check, the unknown-key check, the effective dump and the reference table all
// walk this one declaration. The visitor gets a `const Self` when it only reads.
#pragma once

#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>

namespace spica::base {

/// Extra condition on an integer in addition to its bounds.
enum class Shape : std::uint8_t { kAny, kPow2 };
inline constexpr Shape kPow2 = Shape::kPow2;

/// Legal values of a number, both ends included.
struct Range {
  double min;
  double max;
  Shape shape = Shape::kAny;

  template <class Number>
  constexpr bool contains(Number value) const {
    if (static_cast<double>(value) < min || static_cast<double>(value) > max) return false;
    if constexpr (std::is_integral_v<Number>) {
      if (shape == Shape::kPow2) return value > 0 && (value & (value - 1)) == 0;
    }
    return true;
  }
};

/// Names of an enumeration's values, in the order shown to users.
template <class Enum>
struct Choice {
  std::string_view name;
  Enum value;
};
template <class Enum, std::size_t N>
struct Choices {
  Choice<Enum> items[N];

  constexpr std::string_view name_of(Enum value) const {
    for (const auto& item : items)
      if (item.value == value) return item.name;
    return "?";
  }
};
template <class Enum, class... Rest>
Choices(Choice<Enum>, Rest...) -> Choices<Enum, 1 + sizeof...(Rest)>;

}  // namespace spica::base
