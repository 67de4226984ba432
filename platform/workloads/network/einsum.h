// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace spica::network {

/// The equation of an Einsum of one or two operands, "bhqd,bhkd->bhqk": a letter for each axis.
struct Einsum {
  std::string a, b, result;  // b is empty with one operand
  bool two = false;

  bool in_a(char letter) const { return a.find(letter) != std::string::npos; }
  bool in_b(char letter) const { return b.find(letter) != std::string::npos; }
  bool in_result(char letter) const { return result.find(letter) != std::string::npos; }
};

/// Throws NodeError: ellipsis, a letter twice in an operand (a diagonal), a letter of the result that no operand has.
Einsum parse_einsum(std::string_view equation, std::size_t operands);

}  // namespace spica::network
