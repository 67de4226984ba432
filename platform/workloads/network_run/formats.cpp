// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/network_run/formats.h"

#include <fmt/format.h>

#include <map>
#include <tuple>
#include <utility>

namespace spica::network {

namespace {

bool is_changeable(ElementType type) { return type == ElementType::kFp32 || type == ElementType::kFp64; }

/// Whether the elements of its result are elements of its first operand.
bool is_move(const Operator& op) {
  const auto* const function = std::get_if<Elementwise>(&op.parameters);
  return std::holds_alternative<Copy>(op.parameters) || std::holds_alternative<Gather>(op.parameters) ||
         std::holds_alternative<GatherElements>(op.parameters) ||
         std::holds_alternative<GatherNd>(op.parameters) || std::holds_alternative<Scatter>(op.parameters) ||
         std::holds_alternative<Pad>(op.parameters) ||
         (function != nullptr && function->function == Function::kIdentity);
}

class Formats {
 public:
  Formats(Network& network, const std::vector<std::optional<ElementType>>& chosen, ElementType otherwise)
      : network_(network), chosen_(chosen), otherwise_(otherwise) {
    for (const Tensor& tensor : network.tensors) {
      changeable_.push_back(is_changeable(tensor.type));
      formats_.push_back(tensor.role == Tensor::Role::kInput ? otherwise : ElementType::kUnknown);
    }
  }

  std::vector<std::size_t> apply() {
    std::vector<Operator> operators = std::move(network_.operators);
    std::vector<std::size_t> places;
    network_.operators.clear();
    for (std::size_t i = 0; i < operators.size(); ++i) {
      Operator& op = operators[i];
      const ElementType format = format_of(op, chosen_[i]);
      for (Operand& input : op.inputs)
        if (has_format(input)) read(input, format);
      std::vector<Operator> behind;
      for (Operand& output : op.outputs)
        if (has_format(output)) write(output, format, behind);
      places.push_back(network_.operators.size());
      network_.operators.push_back(std::move(op));
      for (Operator& cast : behind) network_.operators.push_back(std::move(cast));
    }
    for (Row& row : network_.rows)
      if (row.op != kNone) row.op = places[row.op];
    for (std::size_t i = 0; i < formats_.size(); ++i)
      if (changeable_[i])
        network_.tensors[i].type = formats_[i] == ElementType::kUnknown ? otherwise_ : formats_[i];
    return places;
  }

 private:
  bool has_format(const Operand& operand) const { return operand.given() && changeable_[operand.tensor]; }

  ElementType format_of(const Operator& op, const std::optional<ElementType>& chosen) const {
    if (chosen) return *chosen;
    const bool follows = is_move(op) && !op.inputs.empty() && has_format(op.inputs[0]);
    const ElementType format = follows ? formats_[op.inputs[0].tensor] : ElementType::kUnknown;
    return format == ElementType::kUnknown ? otherwise_ : format;
  }

  std::size_t add_tensor(Tensor tensor, ElementType format) {
    network_.tensors.push_back(std::move(tensor));
    formats_.push_back(format);
    changeable_.push_back(true);
    return network_.tensors.size() - 1;
  }

  void read(Operand& input, ElementType format) {
    ElementType& has = formats_[input.tensor];
    if (has == ElementType::kUnknown) has = format;
    if (has == format) return;
    if (network_.tensors[input.tensor].role == Tensor::Role::kConstant) {
      const auto [copy, is_new] = copies_.try_emplace({input.tensor, format}, 0);
      if (is_new) {
        Tensor tensor = network_.tensors[input.tensor];
        tensor.name = fmt::format("{} ({})", tensor.name, name_of(format));
        copy->second = add_tensor(std::move(tensor), format);
      }
      input.tensor = copy->second;
      return;
    }
    const auto [cast, is_new] =
        casts_.try_emplace({input.tensor, input.offset, input.extents, input.strides, format});
    if (is_new) cast->second = cast_of(input, format, network_.operators);
    input = cast->second;
  }

  /// The first operator that writes a tensor decides its format.
  void write(Operand& output, ElementType format, std::vector<Operator>& behind) {
    ElementType& has = formats_[output.tensor];
    if (has == ElementType::kUnknown) has = format;
    if (has == format) return;
    const Operand to = output;
    output = contiguous(to, format);
    add_casts(output, to, behind);
  }

  /// An operand of a tensor of its own. Axes that only repeat elements have one element there.
  Operand contiguous(const Operand& like, ElementType format) {
    Operand operand{0, 0, like.extents, Extents(like.extents.size())};
    std::int64_t stride = 1;
    for (std::size_t axis = like.extents.size(); axis-- > 0;) {
      if (like.strides[axis] == 0) continue;
      operand.strides[axis] = stride;
      stride *= like.extents[axis];
    }
    Tensor tensor;
    tensor.name = fmt::format("{} ({})", network_.tensors[like.tensor].name, name_of(format));
    tensor.extents = {stride};
    operand.tensor = add_tensor(std::move(tensor), format);
    return operand;
  }

  Operand cast_of(const Operand& from, ElementType format, std::vector<Operator>& operators) {
    const Operand to = contiguous(from, format);
    add_casts(from, to, operators);
    return to;
  }

  /// One, or two: between formats of 16 bits by way of FP32.
  void add_casts(const Operand& from, const Operand& to, std::vector<Operator>& operators) {
    const ElementType before = formats_[from.tensor], after = formats_[to.tensor];
    if (before != ElementType::kFp32 && after != ElementType::kFp32)
      return add_casts(cast_of(from, ElementType::kFp32, operators), to, operators);
    Operand source = from, target = to;
    for (std::size_t axis = 0; axis < to.extents.size(); ++axis)
      if (to.strides[axis] == 0) source.extents[axis] = target.extents[axis] = 1;
    operators.push_back(
        {network_.tensors[to.tensor].name, {}, Elementwise{Function::kCast, 0, 0}, {source}, {target}});
  }

  using View = std::tuple<std::size_t, std::int64_t, Extents, Extents, ElementType>;

  Network& network_;
  const std::vector<std::optional<ElementType>>& chosen_;
  const ElementType otherwise_;
  std::vector<ElementType> formats_;  // by tensor; kUnknown: no operator has used it
  std::vector<bool> changeable_;      // by tensor
  std::map<std::pair<std::size_t, ElementType>, std::size_t> copies_;
  std::map<View, Operand> casts_;
};

}  // namespace

std::vector<std::size_t> apply_formats(Network& network,
                                       const std::vector<std::optional<ElementType>>& formats,
                                       ElementType otherwise) {
  return Formats(network, formats, otherwise).apply();
}

}  // namespace spica::network
