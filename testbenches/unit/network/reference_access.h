// SPDX-License-Identifier: Apache-2.0
// Parts of the reference: access to operands, and the operators with windows and states.
#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include "models/base/invariant.h"
#include "testbenches/unit/network/reference.h"

namespace spica::network {

/// An operand and the numbers of its tensor.
class Accessor {
 public:
  Accessor(const Operand& operand, std::vector<Numbers>& tensors)
      : operand_(operand), numbers_(operand.given() ? &tensors[operand.tensor] : nullptr) {}

  bool given() const { return numbers_ != nullptr; }
  const Extents& extents() const { return operand_.extents; }
  std::int64_t extent(std::size_t axis) const { return operand_.extents[axis]; }
  double& at(const Extents& index) const {
    std::int64_t offset = operand_.offset;
    for (std::size_t i = 0; i < index.size(); ++i) offset += index[i] * operand_.strides[i];
    SPICA_INVARIANT(offset >= 0 && offset < static_cast<std::int64_t>(numbers_->size()));
    return (*numbers_)[static_cast<std::size_t>(offset)];
  }
  double value(const Extents& index, double otherwise) const { return given() ? at(index) : otherwise; }

 private:
  const Operand& operand_;
  Numbers* numbers_;
};

/// Calls `visit` with each index, the last axis fastest.
inline void for_each(const Extents& extents, const std::function<void(const Extents&)>& visit) {
  if (std::count(extents.begin(), extents.end(), 0) > 0) return;
  Extents index(extents.size(), 0);
  while (true) {
    visit(index);
    std::size_t axis = extents.size();
    while (axis > 0 && ++index[axis - 1] == extents[axis - 1]) index[--axis] = 0;
    if (axis == 0) return;
  }
}

/// The index with a further one at the end.
inline Extents with(Extents index, std::int64_t last) {
  index.push_back(last);
  return index;
}

inline Extents without_last(const Extents& extents) { return {extents.begin(), extents.end() - 1}; }

void compute_pad(const Pad& pad, const Accessor& x, const Accessor& y);
void compute_resize(const Resize& resize, const Accessor& x, const Accessor& y);
void compute_pool(const Pool& pool, const Accessor& x, const Accessor& y);

}  // namespace spica::network
