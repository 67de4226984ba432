// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "models/protocol/probe_if.h"

namespace spica::check {

/// Whose sums each row of a unit's accumulator has: the unit has room for one product's sums at a time in each row. A
/// product begins with a command that does not add, and continues with those that do. Two ways to go wrong show in
/// the commands: a product continues behind another one that has overwritten its sums, or begins by adding to sums
/// that are stored already.
class ProductSums {
 public:
  explicit ProductSums(std::uint32_t rows) : rows_(rows) {}

  struct Foreign {
    std::uint32_t row = 0;
    std::uint32_t begin = 0;  // site of the command that began the product whose sums are there
    const char* detail = nullptr;
  };
  /// A piece of work begins, at `site`. Returns the rows in which it adds to sums of another product, or stores them.
  std::vector<Foreign> work(const protocol::UnitWork& work, std::uint32_t site);

 private:
  struct Row {
    std::uint32_t command = 0;  // that added or set last; 0: none
    std::uint32_t begin = 0;  // site of the command that began the product
    std::uint32_t stored_by = 0;  // command; 0: none
    bool overwrote = false;  // the product, sums of another one that were not stored
  };
  std::vector<Row> rows_;
};

}  // namespace spica::check
