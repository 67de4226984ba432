// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/network/work.h"

namespace spica::network {

std::uint64_t multiply_adds(const Operator& op) {
  const auto elements = [](const Operand& operand) {
    return static_cast<std::uint64_t>(element_count(operand.extents));
  };
  if (std::holds_alternative<Product>(op.parameters))
    return elements(op.outputs[0]) * static_cast<std::uint64_t>(op.inputs[0].extents.back());
  const auto* const convolution = std::get_if<Convolution>(&op.parameters);
  if (convolution == nullptr) return 0;
  // Each element of the result, or of x where it is transposed, meets all weights of a channel.
  const Operand& side = convolution->transposed ? op.inputs[0] : op.outputs[0];
  const auto channels = static_cast<std::uint64_t>(op.inputs[1].extents[0]);
  return channels == 0 ? 0 : elements(side) * (elements(op.inputs[1]) / channels);
}

}  // namespace spica::network
