// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/network/array.h"

namespace spica::network {

Extents row_major(const Extents& extents) {
  Extents strides(extents.size());
  std::int64_t stride = 1;
  for (std::size_t i = extents.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= extents[i];
  }
  return strides;
}

Array gather(const Operand& operand, const Constant& tensor) {
  Array array;
  array.type = tensor.type;
  array.extents = operand.extents;
  Extents stored = operand.extents;
  for (std::size_t i = 0; i < stored.size(); ++i)
    if (operand.strides[i] == 0 && stored[i] > 0) stored[i] = 1;
  array.strides = row_major(stored);
  for (std::size_t i = 0; i < stored.size(); ++i)
    if (stored[i] == 1) array.strides[i] = 0;
  array.values.reserve(static_cast<std::size_t>(element_count(stored)));
  for_each_index<1>(stored, {&operand.strides}, [&](const std::array<std::int64_t, 1>& at) {
    array.values.push_back(tensor.number_at(operand.offset + at[0]));
  });
  return array;
}

}  // namespace spica::network
