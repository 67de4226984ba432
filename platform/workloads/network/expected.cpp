// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/network/expected.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "models/base/invariant.h"
#include "platform/workloads/network/expected_cells.h"
#include "platform/workloads/network/expected_product.h"
#include "platform/workloads/network/expected_selection.h"
#include "platform/workloads/network/expected_windows.h"
#include "platform/workloads/network/function_errors.h"
#include "platform/workloads/network/functions.h"

namespace spica::network {

namespace {

constexpr double kStep = 0x1p-24;
constexpr double kSmallest = 0x1p-126;  // results below it may be 0
constexpr double kFewSteps = 8;

/// Inputs that may be missing.
const Array* optional(const std::vector<Array>& inputs, std::size_t i) {
  return i < inputs.size() && inputs[i].given() ? &inputs[i] : nullptr;
}

Expected of_size(const Operand& output) {
  Expected result;
  result.values.resize(static_cast<std::size_t>(element_count(output.extents)));
  result.allowed.resize(result.values.size());
  return result;
}

/// Applies the function of a product or convolution to its sums and their magnitudes.
void finish(const Elementwise& function, double steps, Expected& result) {
  std::vector<double>&sums = result.values, &magnitudes = result.allowed;
  const bool is_plain = function.function == Function::kIdentity;
  if (!is_plain) result.before = sums;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    double allowed = steps * kStep * magnitudes[i];
    if (!is_plain) {
      const double y = evaluate(function, sums[i], 0, 0);
      allowed = kSteepest * allowed + kFewSteps * kStep * magnitude(function, y, sums[i], 0);
      sums[i] = y;
    }
    magnitudes[i] = allowed + kSmallest;
  }
}

/// Adds the inputs 2 and 3, bias and residual, with the extents of the output.
void add_terms(const std::vector<Array>& inputs, const Extents& extents, Expected& result) {
  for (std::size_t input = 2; input < 4; ++input) {
    const Array* const term = optional(inputs, input);
    if (term == nullptr) continue;
    if (result.sums.empty()) result.sums = result.values;
    std::size_t i = 0;
    for_each_index<1>(extents, {&term->strides}, [&](const std::array<std::int64_t, 1>& at) {
      const double value = term->values[static_cast<std::size_t>(at[0])];
      result.values[i] += value;
      result.allowed[i++] += std::abs(value);
    });
  }
}

class Evaluation {
 public:
  Evaluation(const Operator& op, const std::vector<Array>& inputs, const std::vector<ElementType>& types)
      : op_(op), inputs_(inputs), types_(types) {
    for (const Operand& output : op.outputs)
      results_.push_back(output.given() ? of_size(output) : Expected());
  }

  std::vector<Expected> take() && { return std::move(results_); }

  void operator()(const Elementwise& operation) {
    const unsigned count = inputs_of(operation.function);
    const Array& a = inputs_[0];
    const Array& b = inputs_[count > 1 ? 1 : 0];
    const Array& c = inputs_[count > 2 ? 2 : 0];
    std::size_t i = 0;
    const double steps = is_exact(operation.function) ? 0 : kFewSteps * kStep;
    const bool is_whole = !is_floating(inputs_[count == 3 ? 1 : 0].type) && !is_floating(types_[0]);
    for_each_index<3>(
        op_.outputs[0].extents, {&a.strides, &b.strides, &c.strides},
        [&](const std::array<std::int64_t, 3>& at) {
          const double x = a.values[static_cast<std::size_t>(at[0])],
                       y = b.values[static_cast<std::size_t>(at[1])],
                       z = c.values[static_cast<std::size_t>(at[2])];
          if (is_whole) return set(i++, whole(operation, x, y, z), 0);
          double value = evaluate(operation, x, y, z);
          if (operation.function == Function::kCast && !is_floating(types_[0]))
            value = types_[0] == ElementType::kBool ? static_cast<double>(value != 0) : std::trunc(value);
          set(i++, value, steps == 0 ? 0 : steps * magnitude(operation, value, x, y) + kSmallest);
        });
  }

  void operator()(const Product& product) {
    const Array &a = inputs_[0], &b = inputs_[1];
    const Extents& extents = op_.outputs[0].extents;
    const std::size_t axes = extents.size();
    const auto rows = static_cast<std::size_t>(extents[axes - 2]),
               columns = static_cast<std::size_t>(extents[axes - 1]);
    const auto depth = static_cast<std::size_t>(a.extents[axes - 1]);
    std::vector<double>&sums = results_[0].values, &magnitudes = results_[0].allowed;
    const Extents batch(extents.begin(), extents.end() - 2);
    const auto outer = [&](const Array& array) {
      return Extents(array.strides.begin(), array.strides.end() - 2);
    };
    const Extents of_a = outer(a), of_b = outer(b);
    double *sum = sums.data(), *size = magnitudes.data();
    for_each_index<2>(batch, {&of_a, &of_b}, [&](const std::array<std::int64_t, 2>& at) {
      const Matrix left{a.values.data() + at[0], a.strides[axes - 2], a.strides[axes - 1]},
          right{b.values.data() + at[1], b.strides[axes - 2], b.strides[axes - 1]};
      multiply(left, right, {rows, columns, depth}, {sum, size, columns});
      sum += rows * columns;
      size += rows * columns;
    });
    for (std::size_t i = 0; i < sums.size(); ++i) {
      sums[i] *= product.scale;
      magnitudes[i] *= std::abs(product.scale);
    }
    add_terms(inputs_, extents, results_[0]);
    finish(product.function, static_cast<double>(depth) + kFewSteps, results_[0]);
  }

  void operator()(const Convolution& convolution) {
    const Extents& weights = inputs_[1].extents;
    std::vector<double>&sums = results_[0].values, &magnitudes = results_[0].allowed;
    (convolution.transposed ? convolve_transposed : convolve)(convolution, inputs_[0], inputs_[1],
                                                              op_.outputs[0].extents, sums, magnitudes);
    add_terms(inputs_, op_.outputs[0].extents, results_[0]);
    const std::int64_t depth = convolution.transposed ? weights[0] / convolution.groups : weights[1];
    finish(convolution.function, static_cast<double>(depth * weights[2] * weights[3]) + kFewSteps,
           results_[0]);
  }

  void operator()(const Softmax& softmax) {
    rows([&](std::size_t first, const std::vector<double>& x, const Array* const* more,
             const std::int64_t* at) {
      const std::size_t n = x.size();
      std::vector<double> scaled(n);
      double most = -INFINITY, largest = 0;
      for (std::size_t i = 0; i < n; ++i) {
        scaled[i] = softmax.scale * x[i] + (more[0] != nullptr ? value(*more[0], at[0], i) : 0.0);
        most = std::max(most, scaled[i]);
        if (std::isfinite(scaled[i])) largest = std::max(largest, std::abs(scaled[i]));
      }
      double sum = 0;
      for (const double one : scaled) sum += std::exp(one - most);
      // A sum of scale, input and mask is rounded at its own size, which the exponential makes relative.
      const double steps = (static_cast<double>(n) + kFewSteps + 4 * largest) * kStep;
      for (std::size_t i = 0; i < n; ++i) {
        const double y =
            softmax.logarithm ? scaled[i] - most - std::log(sum) : std::exp(scaled[i] - most) / sum;
        set(first + i, y, steps * (softmax.logarithm ? std::max(1.0, std::abs(y)) : y) + kSmallest);
      }
    });
  }

  void operator()(const LayerNorm& norm) {
    rows([&](std::size_t first, const std::vector<double>& x, const Array* const* more,
             const std::int64_t* at) {
      normalise(first, x, norm.epsilon, [&](std::size_t i) {
        return std::array<double, 2>{more[0] != nullptr ? value(*more[0], at[0], i) : 1.0,
                                     more[1] != nullptr ? value(*more[1], at[1], i) : 0.0};
      });
    });
  }

  void operator()(const RmsNorm& norm) {
    rows([&](std::size_t first, const std::vector<double>& x, const Array* const* more,
             const std::int64_t* at) {
      double squares = 0;
      for (const double one : x) squares += one * one;
      const double factor = 1 / std::sqrt(squares / static_cast<double>(x.size()) + norm.epsilon);
      for (std::size_t i = 0; i < x.size(); ++i) {
        const double y = x[i] * factor * (more[0] != nullptr ? value(*more[0], at[0], i) : 1.0);
        set(first + i, y, steps_of(x) * std::abs(y) + kSmallest);
      }
    });
  }

  /// Inputs have four axes, the last two of which are one row.
  void operator()(const GroupNorm& norm) {
    const Array& x = inputs_[0];
    const auto length = static_cast<std::size_t>(x.extents[2] * x.extents[3]);
    const Array *weight = optional(inputs_, 1), *bias = optional(inputs_, 2);
    const auto at = [&](const Array* array, std::size_t i, double otherwise) {
      if (array == nullptr) return otherwise;
      std::int64_t offset = 0;
      auto rest = static_cast<std::int64_t>(i);
      for (std::size_t axis = 4; axis-- > 0; rest /= x.extents[axis])
        offset += rest % x.extents[axis] * array->strides[axis];
      return array->values[static_cast<std::size_t>(offset)];
    };
    for (std::size_t first = 0; first < results_[0].values.size(); first += length) {
      std::vector<double> row(length);
      for (std::size_t i = 0; i < length; ++i) row[i] = at(&x, first + i, 0);
      normalise(first, row, norm.epsilon, [&](std::size_t i) {
        return std::array<double, 2>{at(weight, first + i, 1), at(bias, first + i, 0)};
      });
    }
  }

  void operator()(const Rotary& rotary) {
    rows([&](std::size_t first, const std::vector<double>& x, const Array* const* more,
             const std::int64_t* at) {
      const std::size_t half = x.size() / 2;
      for (std::size_t i = 0; i < x.size(); ++i) {
        const bool low = rotary.interleaved ? i % 2 == 0 : i < half;
        const std::size_t partner = rotary.interleaved ? i ^ 1U : low ? i + half : i - half;
        const double own = x[i] * value(*more[0], at[0], i), other = x[partner] * value(*more[1], at[1], i);
        set(first + i, low ? own - other : own + other,
            kFewSteps * kStep * (std::abs(own) + std::abs(other)) + kSmallest);
      }
    });
  }

  void operator()(const Gather&) { expect_gather(inputs_, op_.outputs[0].extents, exactly()); }
  void operator()(const GatherElements& gather) {
    expect_gather_elements(gather, inputs_, op_.outputs[0].extents, exactly());
  }
  void operator()(const GatherNd& gather) {
    expect_gather_nd(gather, inputs_, op_.outputs[0].extents, exactly());
  }
  void operator()(const Scatter& scatter) {
    expect_scatter(scatter, inputs_, op_.outputs[0].extents, exactly());
  }
  void operator()(const OneHot& one_hot) {
    expect_one_hot(one_hot, inputs_, op_.outputs[0].extents, exactly());
  }
  void operator()(const Pad& pad) { expect_pad(pad, inputs_, op_.outputs[0].extents, exactly()); }
  void operator()(const Resize& resize) {
    expect_resize(resize, inputs_, op_.outputs[0].extents, [this](std::size_t i, double value, double size) {
      set(i, value, kFewSteps * kStep * size);
    });
  }

  void operator()(const TopK& top) {
    std::size_t first = 0;
    each_row(inputs_[0], [&](const std::vector<double>& row) {
      for (const std::size_t place : first_of_row(top, row)) {
        if (op_.outputs[0].given()) results_[0].values[first] = row[place];
        if (op_.outputs.size() > 1 && op_.outputs[1].given())
          results_[1].values[first] = static_cast<double>(place);
        ++first;
      }
    });
  }

  void operator()(const CumulativeSum& operation) {
    std::size_t place = 0;
    each_row(inputs_[0], [&](const std::vector<double>& row) {
      double sum = 0, size = 0;
      for (const double x : row) {
        const double before = sum;
        sum += x;
        size += std::abs(x);
        set(place++, operation.exclusive ? before : sum, steps_of(row) * size + kSmallest);
      }
    });
  }

  void operator()(const Reduce& reduce) {
    using Operation = Reduce::Operation;
    std::size_t place = 0;
    each_row(inputs_[0], [&](const std::vector<double>& x) {
      const double n = static_cast<double>(x.size());
      double sum = 0, size = 0, squares = 0, product = 1;
      std::size_t most = 0, least = 0;
      for (std::size_t i = 0; i < x.size(); ++i) {
        sum += x[i];
        size += std::abs(x[i]);
        squares += x[i] * x[i];
        product *= x[i];
        if (x[i] > x[most]) most = i;
        if (x[i] < x[least]) least = i;
      }
      const double steps = steps_of(x);
      switch (reduce.operation) {
        case Operation::kSum: return set(place++, sum, steps * size + kSmallest);
        case Operation::kMean: return set(place++, sum / n, steps * size / n + kSmallest);
        case Operation::kMax: return set(place++, x.empty() ? -INFINITY : x[most], 0);
        case Operation::kMin: return set(place++, x.empty() ? INFINITY : x[least], 0);
        case Operation::kProduct: return set(place++, product, steps * std::abs(product) + kSmallest);
        case Operation::kSumSquare: return set(place++, squares, steps * squares + kSmallest);
        case Operation::kL1: return set(place++, size, steps * size + kSmallest);
        case Operation::kL2: return set(place++, std::sqrt(squares), steps * std::sqrt(squares) + kSmallest);
        case Operation::kLogSum:
          return set(place++, std::log(sum), steps * std::max(size / std::abs(sum), std::abs(std::log(sum))));
        case Operation::kLogSumExp: {
          double powers = 0;
          for (const double one : x) powers += std::exp(one - x[most]);
          const double y = x.empty() || std::isinf(x[most]) ? (x.empty() ? -INFINITY : x[most])
                                                            : x[most] + std::log(powers);
          return set(place++, y,
                     (steps + 4 * kStep) * std::max({1.0, std::abs(y), x.empty() ? 0 : std::abs(x[most])}));
        }
        case Operation::kArgMax: return set(place++, static_cast<double>(most), 0);
        case Operation::kArgMin: return set(place++, static_cast<double>(least), 0);
      }
    });
  }

  void operator()(const Copy&) {
    for (std::size_t output = 0; output < results_.size(); ++output) {
      std::size_t i = 0;
      for_each_index<1>(op_.outputs[output].extents, {&inputs_[output].strides},
                        [&](const std::array<std::int64_t, 1>& at) {
                          results_[output].values[i++] =
                              inputs_[output].values[static_cast<std::size_t>(at[0])];
                        });
    }
  }

  void operator()(const Pool& pool) {
    const double elements = static_cast<double>(pool.kernel[0] * pool.kernel[1]);
    std::vector<double>&values = results_[0].values, &sizes = results_[0].allowed;
    pool_windows(pool, inputs_[0], op_.outputs[0].extents, values, sizes);
    for (double& size : sizes) size = pool.maximum ? 0 : (elements + kFewSteps) * kStep * size + kSmallest;
  }

  void operator()(const Quantize&) {
    each_with_scale([&](std::size_t i, double x, double scale, double zero) { quantise(i, x, scale, zero); });
  }

  void operator()(const Dequantize&) {
    each_with_scale([&](std::size_t i, double q, double scale, double zero) {
      const double y = (q - zero) * scale;
      set(i, y, kFewSteps * kStep * std::abs(y));
    });
  }

  void operator()(const LstmCell&) { expect_lstm_cell(inputs_, results_[0], results_[1]); }
  void operator()(const GruCell& cell) { expect_gru_cell(cell, inputs_, results_[0]); }
  /// The emission has made steps of it.
  void operator()(const Recurrent&) { SPICA_INVARIANT(false); }

 private:
  void set(std::size_t i, double value, double allowed) {
    results_[0].values[i] = value;
    results_[0].allowed[i] = allowed;
  }

  /// The value for integers; those of 32 bits wrap. NaN, which no result is: it divides by 0.
  double whole(const Elementwise& operation, double x, double y, double z) const {
    const auto value = evaluate_integer(operation, static_cast<std::int64_t>(x), static_cast<std::int64_t>(y),
                                        static_cast<std::int64_t>(z));
    if (!value) return NAN;
    if (types_[0] == ElementType::kBool) return static_cast<double>(*value != 0);
    return static_cast<double>(types_[0] == ElementType::kInt32 ? static_cast<std::int32_t>(*value) : *value);
  }

  /// Sets elements that are exact.
  SetElement exactly() {
    return [this](std::size_t i, double value) { set(i, value, 0); };
  }

  /// Calls visit(element of the result, x, scale, zero point) for all elements of input 0.
  template <class Visit>
  void each_with_scale(Visit&& visit) const {
    const Array &x = inputs_[0], &scale = inputs_[1];
    const Array* const zero = optional(inputs_, 2);
    std::size_t i = 0;
    for_each_index<3>(
        x.extents, {&x.strides, &scale.strides, zero != nullptr ? &zero->strides : &scale.strides},
        [&](const std::array<std::int64_t, 3>& at) {
          visit(i++, x.values[static_cast<std::size_t>(at[0])], scale.values[static_cast<std::size_t>(at[1])],
                zero != nullptr ? zero->values[static_cast<std::size_t>(at[2])] : 0.0);
        });
  }

  /// A number as integer of the type of the result. Where a rounding of x decides, the next one is allowed.
  void quantise(std::size_t i, double x, double scale, double zero) {
    const bool is_signed = types_[0] == ElementType::kInt8;
    const double least = is_signed ? -128 : 0, most = is_signed ? 127 : 255, place = x / scale;
    const double y = std::clamp(std::nearbyint(place) + zero, least, most);
    const double from_tie = std::abs(place - std::floor(place) - 0.5);
    set(i, y, from_tie <= kFewSteps * kStep * std::abs(place) + kStep / scale ? 1 : 0);
  }

  static double value(const Array& array, std::int64_t row, std::size_t i) {
    return array.values[static_cast<std::size_t>(row + static_cast<std::int64_t>(i) * array.strides.back())];
  }

  static double steps_of(const std::vector<double>& row) {
    return (static_cast<double>(row.size()) + kFewSteps) * kStep;
  }

  /// Calls visit(row) for all rows of an array, which are along its last axis.
  template <class Visit>
  static void each_row(const Array& array, Visit&& visit) {
    const Extents outer(array.extents.begin(), array.extents.end() - 1),
        strides(array.strides.begin(), array.strides.end() - 1);
    std::vector<double> row(static_cast<std::size_t>(array.extents.back()));
    for_each_index<1>(outer, {&strides}, [&](const std::array<std::int64_t, 1>& at) {
      for (std::size_t i = 0; i < row.size(); ++i) row[i] = value(array, at[0], i);
      visit(row);
    });
  }

  /// Calls visit(first element of the result, row of input 0, inputs 1 and 2 or nullptr, offsets of their rows).
  template <class Visit>
  void rows(Visit&& visit) {
    const Array& x = inputs_[0];
    const Array* const more[] = {optional(inputs_, 1), optional(inputs_, 2)};
    const Extents outer(x.extents.begin(), x.extents.end() - 1);
    const auto strides = [&](const Array* array) {
      return array != nullptr ? Extents(array->strides.begin(), array->strides.end() - 1)
                              : Extents(outer.size());
    };
    const Extents own = strides(&x), first = strides(more[0]), second = strides(more[1]);
    std::vector<double> row(static_cast<std::size_t>(x.extents.back()));
    std::size_t place = 0;
    for_each_index<3>(outer, {&own, &first, &second}, [&](const std::array<std::int64_t, 3>& at) {
      for (std::size_t i = 0; i < row.size(); ++i) row[i] = value(x, at[0], i);
      visit(place, row, more, &at[1]);
      place += row.size();
    });
  }

  /// A row with mean 0 and variance 1, times the first of factors(i), plus the second.
  template <class Factors>
  void normalise(std::size_t first, const std::vector<double>& x, double epsilon, Factors&& factors) {
    const double n = static_cast<double>(x.size());
    double mean = 0, size = 0, variance = 0;
    for (const double one : x) {
      mean += one / n;
      size += std::abs(one) / n;
    }
    for (const double one : x) variance += (one - mean) * (one - mean) / n;
    const double factor = 1 / std::sqrt(variance + epsilon);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const auto [weight, bias] = factors(i);
      const double spread = (std::abs(x[i] - mean) + size) * factor * std::abs(weight) + std::abs(bias);
      set(first + i, (x[i] - mean) * factor * weight + bias, steps_of(x) * spread + kSmallest);
    }
  }

  const Operator& op_;
  const std::vector<Array>& inputs_;
  const std::vector<ElementType>& types_;
  std::vector<Expected> results_;
};

}  // namespace

std::vector<Expected> expected(const Operator& op, const std::vector<Array>& inputs,
                               const std::vector<ElementType>& types) {
  Evaluation evaluation(op, inputs, types);
  std::visit(evaluation, op.parameters);
  return std::move(evaluation).take();
}

}  // namespace spica::network
