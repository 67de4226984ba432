// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "platform/workloads/network/element_type.h"

namespace spica::network {

/// Elements along each axis, outermost first. Empty: a scalar. An extent may be 0 (an empty key-value cache).
using Extents = std::vector<std::int64_t>;

/// No tensor may have more elements: offsets and sizes in bytes stay far from 2^63.
inline constexpr std::int64_t kMaxElements = std::int64_t{1} << 40;

/// Product of the extents. Throws UserError above kMaxElements or for a negative extent.
std::int64_t element_count(const Extents& extents);
/// "1x32x64"; "scalar" without axes.
std::string extents_text(const Extents& extents);

/// Values known before the run: a view of a mapped file, or of bytes computed on the host. Row-major, little endian.
struct Constant {
  ElementType type = ElementType::kUnknown;
  Extents extents;
  const unsigned char* data = nullptr;  // element_count(extents) * bytes_of(type) bytes, any alignment
  std::shared_ptr<const void> owner;  // keeps `data` valid

  std::int64_t elements() const { return element_count(extents); }
  std::size_t bytes() const { return static_cast<std::size_t>(elements()) * bytes_of(type); }
  /// One element by its row-major index. integer_at() truncates floating-point values.
  double number_at(std::int64_t index) const;
  std::int64_t integer_at(std::int64_t index) const;
};

/// All elements. Throws UserError for more than 2^20, for callers that expect a few.
std::vector<std::int64_t> integers(const Constant& constant);

/// Collects elements and converts them to `type`: integers wrap as in C++, floating-point values round to nearest even.
class ConstantBuilder {
 public:
  ConstantBuilder(ElementType type, Extents extents);
  void set(std::int64_t index, double value);
  void set(std::int64_t index, std::int64_t value);
  /// A copy of the bits of an element of a constant of the same type.
  void copy(std::int64_t index, const Constant& from, std::int64_t from_index);
  Constant finish() &&;

 private:
  Constant constant_;
  std::shared_ptr<std::vector<unsigned char>> bytes_;
};

}  // namespace spica::network
