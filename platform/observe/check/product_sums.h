// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "models/protocol/ports/probe_if.h"

namespace spica::check {

/// The product whose sums are in each row of a unit's accumulator, which holds one product per row. A product begins
/// with a command that does not accumulate, and continues with commands that do. Two errors are detected: a product
/// continues after another has overwritten its sums, or begins by accumulating on sums that are already stored.
class ProductSums {
 public:
  explicit ProductSums(std::uint32_t rows) : rows_(rows) {}

  struct Foreign {
    std::uint32_t row = 0;
    std::uint32_t begin = 0;  // site of the command that began the product of these sums
    const char* detail = nullptr;
  };
  /// Work begins at `site`. Returns the rows in which it accumulates on, or stores, sums of another product.
  std::vector<Foreign> work(const protocol::UnitWork& work, std::uint32_t site);

 private:
  struct Row {
    std::uint32_t command = 0;  // last command that wrote the row; 0: none
    std::uint32_t begin = 0;  // site of the command that began the product
    std::uint32_t stored_by = 0;  // command; 0: none
    bool overwrote = false;  // the product has overwritten unstored sums of another
  };
  std::vector<Row> rows_;
};

}  // namespace spica::check
