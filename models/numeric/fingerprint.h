// SPDX-License-Identifier: Apache-2.0
// Dot products whose bits tell rules of sums apart.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "models/numeric/mma.h"

namespace spica::numeric {

/// One dot product. Elements that are not named are `a_rest` * `b_rest`.
struct Fingerprint {
  std::string_view name;  // F1, ...; X1, ...: public models contradict each other
  std::string_view operands;  // keys, separated by blanks; the words below are those of the first
  std::string_view result;  // key
  unsigned k;
  std::string_view products;  // "0:3C00*3C00 1-3:0C00*0C00", hexadecimal words at these k
  std::uint32_t a_rest, b_rest;
  std::uint64_t c;
  std::string_view tells;
  std::uint8_t scale = 0;  // of all blocks of A and B

  bool suits(std::string_view operand_key, std::string_view result_key) const;
  /// Words of A and B, k each.
  struct Operands {
    std::vector<std::uint64_t> a, b;
  };
  Operands words(const OperandInfo& operand) const;
  /// The result by a unit that multiplies these operands; std::nullopt: its rule does not take k products.
  std::optional<std::uint64_t> result_by(const Mma& mma) const;
  bool is_contradicted() const { return name.front() == 'X'; }
};

const std::vector<Fingerprint>& fingerprints();
/// nullptr: there is none of that name.
const Fingerprint* fingerprint(std::string_view name);

}  // namespace spica::numeric
