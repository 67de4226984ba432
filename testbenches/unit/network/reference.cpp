// SPDX-License-Identifier: Apache-2.0
#include "testbenches/unit/network/reference.h"

#include <algorithm>
#include <cmath>

#include "platform/workloads/network/functions.h"
#include "testbenches/unit/network/reference_access.h"

namespace spica::network {

namespace {

double logistic(double x) { return 1 / (1 + std::exp(-x)); }

double limited(ElementType type, double value) {
  const bool is_signed = type == ElementType::kInt8;
  return std::clamp(value, is_signed ? -128.0 : 0.0, is_signed ? 127.0 : 255.0);
}

struct Reference {
  const Network& network;
  const Operator& op;
  std::vector<Numbers>& tensors;

  Accessor in(std::size_t i) const {
    static const Operand none;
    return {i < op.inputs.size() ? op.inputs[i] : none, tensors};
  }
  Accessor out(std::size_t i = 0) const { return {op.outputs[i], tensors}; }
  ElementType type(const Operand& operand) const { return network.tensors[operand.tensor].type; }

  void operator()(const Elementwise& operation) const {
    const Accessor a = in(0), b = in(1), c = in(2), y = out();
    const bool integer = !is_floating(type(op.inputs[0])) && operation.function != Function::kCast;
    for_each(y.extents(), [&](const Extents& i) {
      const double x = a.at(i), second = b.value(i, 0), third = c.value(i, 0);
      double result = 0;
      if (integer && operation.function != Function::kWhere) {
        result = static_cast<double>(evaluate_integer(operation, static_cast<std::int64_t>(x),
                                                      static_cast<std::int64_t>(second),
                                                      static_cast<std::int64_t>(third))
                                         .value_or(0));
      } else {
        result = evaluate(operation, x, second, third);
      }
      if (operation.function == Function::kCast && !is_floating(type(op.outputs[0])))
        result = type(op.outputs[0]) == ElementType::kBool ? (result != 0 ? 1 : 0) : std::trunc(result);
      y.at(i) = result;
    });
  }

  void finish(const Accessor& y, const Extents& index, double sum, const Elementwise& function) const {
    y.at(index) = evaluate(function, sum + in(2).value(index, 0) + in(3).value(index, 0), 0, 0);
  }

  void operator()(const Product& product) const {
    const Accessor a = in(0), y = out();
    const std::size_t batch = y.extents().size() - 2;
    for_each(y.extents(), [&](const Extents& i) {
      double sum = 0;
      Extents left(i.begin(), i.end() - 1), right(i.begin(), i.begin() + static_cast<std::ptrdiff_t>(batch));
      left.push_back(0);
      right.insert(right.end(), {0, i.back()});
      for (std::int64_t k = 0; k < a.extent(batch + 1); ++k) {
        left.back() = right[batch] = k;
        sum += a.at(left) * in(1).at(right);
      }
      finish(y, i, product.scale * sum, product.function);
    });
  }

  void operator()(const Convolution& convolution) const {
    if (convolution.transposed) return transposed(convolution);
    const Accessor x = in(0), w = in(1), y = out();
    const std::int64_t outputs = y.extent(1) / convolution.groups, depth = w.extent(1);
    for_each(y.extents(), [&](const Extents& i) {
      double sum = 0;
      for_each({depth, w.extent(2), w.extent(3)}, [&](const Extents& j) {
        const std::int64_t row =
            i[2] * convolution.strides[0] - convolution.pads[0] + j[1] * convolution.dilations[0];
        const std::int64_t column =
            i[3] * convolution.strides[1] - convolution.pads[1] + j[2] * convolution.dilations[1];
        if (row < 0 || row >= x.extent(2) || column < 0 || column >= x.extent(3)) return;
        sum += x.at({i[0], i[1] / outputs * depth + j[0], row, column}) * w.at({i[1], j[0], j[1], j[2]});
      });
      finish(y, i, sum, convolution.function);
    });
  }

  void transposed(const Convolution& convolution) const {
    const Accessor x = in(0), w = in(1), y = out();
    const std::int64_t depth = x.extent(1) / convolution.groups, outputs = w.extent(1);
    for_each(y.extents(), [&](const Extents& i) {
      double sum = 0;
      for_each({depth, w.extent(2), w.extent(3)}, [&](const Extents& j) {
        const std::int64_t row = i[2] + convolution.pads[0] - j[1] * convolution.dilations[0];
        const std::int64_t column = i[3] + convolution.pads[1] - j[2] * convolution.dilations[1];
        const auto [down, across] = convolution.strides;
        if (row < 0 || column < 0 || row % down != 0 || column % across != 0) return;
        if (row / down >= x.extent(2) || column / across >= x.extent(3)) return;
        const std::int64_t channel = i[1] / outputs * depth + j[0];
        sum +=
            x.at({i[0], channel, row / down, column / across}) * w.at({channel, i[1] % outputs, j[1], j[2]});
      });
      finish(y, i, sum, convolution.function);
    });
  }

  void operator()(const Softmax& softmax) const {
    const Accessor x = in(0), mask = in(1), y = out();
    const std::int64_t n = y.extents().back();
    for_each(without_last(y.extents()), [&](const Extents& row) {
      Numbers values;
      for (std::int64_t i = 0; i < n; ++i)
        values.push_back(softmax.scale * x.at(with(row, i)) + mask.value(with(row, i), 0));
      const double largest = *std::max_element(values.begin(), values.end());
      double sum = 0;
      for (const double value : values) sum += std::exp(value - largest);
      for (std::int64_t i = 0; i < n; ++i) {
        const double value = values[static_cast<std::size_t>(i)] - largest;
        y.at(with(row, i)) = softmax.logarithm ? value - std::log(sum) : std::exp(value) / sum;
      }
    });
  }

  /// Mean and variance of x over `inner`, for an index of the axes before it.
  std::pair<double, double> moments(const Accessor& x, const Extents& outer, const Extents& inner) const {
    double sum = 0, squares = 0;
    const auto each = [&](const auto& take) {
      for_each(inner, [&](const Extents& i) {
        Extents index = outer;
        index.insert(index.end(), i.begin(), i.end());
        take(x.at(index));
      });
    };
    const auto count = static_cast<double>(element_count(inner));
    each([&](double value) { sum += value; });
    each([&](double value) { squares += (value - sum / count) * (value - sum / count); });
    return {sum / count, squares / count};
  }

  void operator()(const LayerNorm& norm) const {
    const Accessor x = in(0), y = out();
    for_each(without_last(y.extents()), [&](const Extents& row) {
      const auto [mean, variance] = moments(x, row, {x.extents().back()});
      for (std::int64_t i = 0; i < y.extents().back(); ++i) {
        const Extents index = with(row, i);
        y.at(index) = (x.at(index) - mean) / std::sqrt(variance + norm.epsilon) * in(1).value(index, 1) +
                      in(2).value(index, 0);
      }
    });
  }

  void operator()(const RmsNorm& norm) const {
    const Accessor x = in(0), y = out();
    const std::int64_t n = y.extents().back();
    for_each(without_last(y.extents()), [&](const Extents& row) {
      double sum = 0;
      for (std::int64_t i = 0; i < n; ++i) sum += x.at(with(row, i)) * x.at(with(row, i));
      for (std::int64_t i = 0; i < n; ++i)
        y.at(with(row, i)) = x.at(with(row, i)) / std::sqrt(sum / static_cast<double>(n) + norm.epsilon) *
                             in(1).value(with(row, i), 1);
    });
  }

  void operator()(const GroupNorm& norm) const {
    const Accessor x = in(0), y = out();
    for_each({y.extent(0), y.extent(1)}, [&](const Extents& group) {
      const auto [mean, variance] = moments(x, group, {x.extent(2), x.extent(3)});
      for_each({y.extent(2), y.extent(3)}, [&, m = mean, v = variance](const Extents& i) {
        const Extents index{group[0], group[1], i[0], i[1]};
        y.at(index) =
            (x.at(index) - m) / std::sqrt(v + norm.epsilon) * in(1).value(index, 1) + in(2).value(index, 0);
      });
    });
  }

  void operator()(const Rotary& rotary) const {
    const Accessor x = in(0), cosine = in(1), sine = in(2), y = out();
    const std::int64_t n = y.extents().back(), half = n / 2;
    for_each(y.extents(), [&](const Extents& index) {
      Extents partner = index;
      const bool first = rotary.interleaved ? index.back() % 2 == 0 : index.back() < half;
      partner.back() += (first ? 1 : -1) * (rotary.interleaved ? 1 : half);
      y.at(index) = x.at(index) * cosine.at(index) + (first ? -1 : 1) * x.at(partner) * sine.at(index);
    });
  }

  std::int64_t entry(double index, std::int64_t entries) const {
    const auto number = static_cast<std::int64_t>(index);
    return std::clamp(number < 0 ? number + entries : number, std::int64_t{0}, entries - 1);
  }

  void operator()(const Gather&) const {
    const Accessor data = in(0), indices = in(1), y = out();
    for_each(y.extents(), [&](const Extents& i) {
      y.at(i) = data.at({i[0], entry(indices.at({i[1]}), data.extent(1)), i[2]});
    });
  }

  void operator()(const GatherElements& gather) const {
    const Accessor data = in(0), indices = in(1), y = out();
    const auto axis = static_cast<std::size_t>(gather.axis);
    for_each(y.extents(), [&](const Extents& i) {
      Extents from = i;
      from[axis] = entry(indices.at(i), data.extent(axis));
      y.at(i) = data.at(from);
    });
  }

  void operator()(const GatherNd& gather) const {
    const Accessor data = in(0), indices = in(1), y = out();
    const auto outer = static_cast<std::ptrdiff_t>(indices.extents().size()) - 1;
    for_each(y.extents(), [&](const Extents& i) {
      Extents from(i.begin(), i.begin() + gather.batch);
      const Extents at(i.begin(), i.begin() + outer);
      for (std::int64_t j = 0; j < indices.extents().back(); ++j)
        from.push_back(entry(indices.at(with(at, j)), data.extent(from.size())));
      from.insert(from.end(), i.begin() + outer, i.end());
      y.at(i) = data.at(from);
    });
  }

  void operator()(const OneHot& one_hot) const {
    const Accessor indices = in(0), values = in(1), y = out();
    for_each(y.extents(), [&](const Extents& i) {
      Extents at = i;
      at.erase(at.begin() + one_hot.axis);
      const auto axis = static_cast<std::size_t>(one_hot.axis);
      y.at(i) = values.at({entry(indices.at(at), y.extent(axis)) == i[axis] ? 1 : 0});
    });
  }

  void operator()(const CumulativeSum& operation) const {
    const Accessor x = in(0), y = out();
    for_each(without_last(y.extents()), [&](const Extents& row) {
      double sum = 0;
      for (std::int64_t i = 0; i < y.extents().back(); ++i) {
        if (!operation.exclusive) sum += x.at(with(row, i));
        y.at(with(row, i)) = sum;
        if (operation.exclusive) sum += x.at(with(row, i));
      }
    });
  }

  void operator()(const Scatter& scatter) const {
    const Accessor data = in(0), indices = in(1), updates = in(2), y = out();
    for_each(y.extents(), [&](const Extents& i) { y.at(i) = data.at(i); });
    const auto axis = static_cast<std::size_t>(scatter.axis);
    for_each(updates.extents(), [&](const Extents& i) {
      Extents to = i;
      if (scatter.elements) {
        to[axis] = entry(indices.at(i), y.extent(axis));
      } else {
        const std::size_t outer = indices.extents().size() - 1;
        Extents at(i.begin(), i.begin() + static_cast<std::ptrdiff_t>(outer));
        to.clear();
        for (std::int64_t j = 0; j < indices.extents().back(); ++j)
          to.push_back(entry(indices.at(with(at, j)), y.extent(static_cast<std::size_t>(j))));
        to.insert(to.end(), i.begin() + static_cast<std::ptrdiff_t>(outer), i.end());
      }
      y.at(to) = updates.at(i);
    });
  }

  void operator()(const Reduce& reduce) const {
    using Operation = Reduce::Operation;
    const Accessor x = in(0), y = out();
    const std::int64_t n = x.extents().back();
    for_each(y.extents(), [&](const Extents& row) {
      const bool most = reduce.operation == Operation::kMax || reduce.operation == Operation::kArgMax;
      const bool extreme =
          most || reduce.operation == Operation::kMin || reduce.operation == Operation::kArgMin;
      double result = reduce.operation == Operation::kProduct ? 1 : 0, best = 0;
      for (std::int64_t i = 0; i < n; ++i) {
        const double value = x.at(with(row, i));
        if (extreme && (i == 0 || (most ? value > result : value < result))) {
          result = value;
          best = static_cast<double>(i);
        }
        if (extreme) continue;
        if (reduce.operation == Operation::kProduct) result *= value;
        else if (reduce.operation == Operation::kLogSum) result += value;
        else if (reduce.operation == Operation::kLogSumExp) result += std::exp(value);
        else if (reduce.operation == Operation::kL1) result += std::abs(value);
        else if (reduce.operation == Operation::kSum || reduce.operation == Operation::kMean) result += value;
        else result += value * value;
      }
      if (reduce.operation == Operation::kMean) result /= static_cast<double>(n);
      if (reduce.operation == Operation::kL2) result = std::sqrt(result);
      if (reduce.operation == Operation::kLogSum || reduce.operation == Operation::kLogSumExp)
        result = std::log(result);
      const bool index = reduce.operation == Operation::kArgMax || reduce.operation == Operation::kArgMin;
      y.at(row) = index ? best : result;
    });
  }

  void operator()(const TopK& top) const {
    const Accessor x = in(0);
    const Operand& given = op.outputs[0].given() ? op.outputs[0] : op.outputs[1];
    for_each(without_last(given.extents), [&](const Extents& row) {
      std::vector<std::int64_t> order;
      for (std::int64_t i = 0; i < x.extents().back(); ++i) order.push_back(i);
      std::sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
        const double left = x.at(with(row, a)), right = x.at(with(row, b));
        if (left == right) return a < b;
        return top.largest ? left > right : left < right;
      });
      for (std::int64_t i = 0; i < top.k; ++i) {
        const std::int64_t found = order[static_cast<std::size_t>(i)];
        if (op.outputs[0].given()) out(0).at(with(row, i)) = x.at(with(row, found));
        if (op.outputs[1].given()) out(1).at(with(row, i)) = static_cast<double>(found);
      }
    });
  }

  void operator()(const Copy&) const {
    for (std::size_t i = 0; i < op.inputs.size(); ++i)
      for_each(op.inputs[i].extents, [&](const Extents& index) { out(i).at(index) = in(i).at(index); });
  }

  void operator()(const Pad& pad) const { compute_pad(pad, in(0), out()); }
  void operator()(const Resize& resize) const { compute_resize(resize, in(0), out()); }
  void operator()(const Pool& pool) const { compute_pool(pool, in(0), out()); }

  void operator()(const Quantize&) const {
    const Accessor x = in(0), scale = in(1), zero = in(2), y = out();
    for_each(y.extents(), [&](const Extents& i) {
      y.at(i) = limited(type(op.outputs[0]), std::nearbyint(x.at(i) / scale.at(i)) + zero.value(i, 0));
    });
  }

  void operator()(const Dequantize&) const {
    const Accessor q = in(0), scale = in(1), zero = in(2), y = out();
    for_each(y.extents(), [&](const Extents& i) { y.at(i) = (q.at(i) - zero.value(i, 0)) * scale.at(i); });
  }

  void operator()(const Recurrent&) const {}  // its steps are operators

  void operator()(const LstmCell&) const {
    const Accessor gates = in(0), cells = in(1);
    const std::int64_t h = cells.extent(1);
    for_each(cells.extents(), [&](const Extents& i) {
      const auto gate = [&](std::int64_t number) { return gates.at({i[0], number * h + i[1]}); };
      const double c = logistic(gate(2)) * cells.at(i) + logistic(gate(0)) * std::tanh(gate(3));
      out(1).at(i) = c;
      out(0).at(i) = logistic(gate(1)) * std::tanh(c);
    });
  }

  void operator()(const GruCell& cell) const {
    const Accessor x = in(0), of_state = in(1), state = in(2);
    const std::int64_t h = state.extent(1);
    for_each(state.extents(), [&](const Extents& i) {
      const auto column = [&](std::int64_t number) { return Extents{i[0], number * h + i[1]}; };
      const double z = logistic(x.at(column(0)) + of_state.at(column(0))),
                   r = logistic(x.at(column(1)) + of_state.at(column(1)));
      const double next = std::tanh(x.at(column(2)) + (cell.resets ? r : 1) * of_state.at(column(2)));
      out().at(i) = (1 - z) * next + z * state.at(i);
    });
  }
};

}  // namespace

void compute_reference(const Network& network, const Operator& op, std::vector<Numbers>& tensors) {
  std::visit(Reference{network, op, tensors}, op.parameters);
}

std::vector<Numbers> reference_tensors(const Network& network) {
  std::vector<Numbers> tensors;
  for (const Tensor& tensor : network.tensors) {
    Numbers numbers(static_cast<std::size_t>(element_count(tensor.extents)));
    if (tensor.constant)
      for (std::size_t i = 0; i < numbers.size(); ++i)
        numbers[i] = tensor.constant->number_at(static_cast<std::int64_t>(i));
    tensors.push_back(std::move(numbers));
  }
  return tensors;
}

}  // namespace spica::network
