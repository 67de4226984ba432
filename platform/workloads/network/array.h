// SPDX-License-Identifier: Apache-2.0
// Numbers of operands on the host, in double precision.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "platform/workloads/network/operators.h"
#include "platform/workloads/network/tensor.h"

namespace spica::network {

/// The elements of an operand, row-major. What the operand repeats along an axis (stride 0) is stored once.
struct Array {
  ElementType type = ElementType::kUnknown;  // as which they are computed
  Extents extents;  // of the operand
  Extents strides;  // of `values`; 0 along axes that repeat
  std::vector<double> values;

  bool given() const { return !extents.empty() || !values.empty(); }
};

/// `tensor` has the elements of the operand's tensor.
Array gather(const Operand& operand, const Constant& tensor);

/// Visits all indices in row-major order with the offset of each operand: visit(const std::array<std::int64_t, N>&).
template <std::size_t N, class Visit>
void for_each_index(const Extents& extents, const std::array<const Extents*, N>& strides, Visit&& visit) {
  if (element_count(extents) == 0) return;
  std::array<std::int64_t, N> offsets{};
  Extents at(extents.size());
  for (;;) {
    visit(offsets);
    std::size_t axis = extents.size();
    for (; axis > 0; --axis) {
      const std::size_t i = axis - 1;
      ++at[i];
      for (std::size_t n = 0; n < N; ++n) offsets[n] += (*strides[n])[i];
      if (at[i] < extents[i]) break;
      at[i] = 0;
      for (std::size_t n = 0; n < N; ++n) offsets[n] -= extents[i] * (*strides[n])[i];
    }
    if (axis == 0) return;
  }
}

/// Strides of a row-major array.
Extents row_major(const Extents& extents);

}  // namespace spica::network
