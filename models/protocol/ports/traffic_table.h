// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace spica::protocol {

/// Bytes between each pair of two kinds of blocks, in both directions.
class TrafficTable {
 public:
  /// The names of a row and a column: "cluster", "slice".
  TrafficTable(std::string_view row, std::string_view column, std::size_t rows, std::size_t columns)
      : row_(row), column_(column), columns_(columns), bytes_(rows * columns) {}

  void add(std::size_t row, std::size_t column, std::uint64_t bytes) {
    bytes_[row * columns_ + column] += bytes;
  }
  std::string_view row() const { return row_; }
  std::string_view column() const { return column_; }
  std::size_t columns() const { return columns_; }
  /// Row by row.
  const std::vector<std::uint64_t>& bytes() const { return bytes_; }
  /// Not saved: row_, column_, columns_.
  template <class Archive>
  void serialize(Archive& archive) {
    archive(bytes_);
  }

 private:
  std::string_view row_, column_;
  std::size_t columns_;
  std::vector<std::uint64_t> bytes_;
};

/// A block that counts such traffic, for reports.
class TrafficCounted {
 public:
  virtual const TrafficTable& traffic() const = 0;

 protected:
  ~TrafficCounted() = default;
};

}  // namespace spica::protocol
