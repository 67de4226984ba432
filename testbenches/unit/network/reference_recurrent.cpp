// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "testbenches/unit/network/reference_access.h"

namespace spica::network {

/// Gates of ONNX: LSTM input, output, forget, cell; GRU update, reset, hidden.
void compute_recurrent(const Recurrent& recurrent, const Operator& op, std::vector<Numbers>& tensors) {
  static const Operand none;
  const auto in = [&](std::size_t i) {
    return Accessor(i < op.inputs.size() ? op.inputs[i] : none, tensors);
  };
  const auto out = [&](std::size_t i) { return Accessor(op.outputs[i], tensors); };
  const Accessor x = in(0), w = in(1), r = in(2), b = in(3), h0 = in(5), c0 = in(6);
  const std::int64_t steps = x.extent(0), batch = x.extent(1), inputs = x.extent(2),
                     hidden = recurrent.hidden;
  const std::int64_t gates = recurrent.gru ? 3 : 4;
  const auto sigmoid = [](double value) { return 1 / (1 + std::exp(-value)); };
  for_each({w.extent(0), batch}, [&](const Extents& at) {
    const std::int64_t d = at[0], n = at[1];
    Numbers h, c;
    for (std::int64_t j = 0; j < hidden; ++j) {
      h.push_back(h0.value({d, n, j}, 0));
      c.push_back(c0.value({d, n, j}, 0));
    }
    const bool backward = recurrent.direction == "reverse" || d == 1;
    for (std::int64_t step = 0; step < steps; ++step) {
      const std::int64_t t = backward ? steps - 1 - step : step;
      const auto from_input = [&](std::int64_t row) {
        double sum = b.value({d, row}, 0);
        for (std::int64_t i = 0; i < inputs; ++i) sum += w.at({d, row, i}) * x.at({t, n, i});
        return sum;
      };
      const auto from_state = [&](std::int64_t row, const Numbers& state) {
        double sum = b.value({d, gates * hidden + row}, 0);
        for (std::int64_t i = 0; i < hidden; ++i)
          sum += r.at({d, row, i}) * state[static_cast<std::size_t>(i)];
        return sum;
      };
      Numbers next(h.size()), reset_state(h.size());
      for (std::size_t j = 0; j < h.size(); ++j) {
        const auto row = static_cast<std::int64_t>(j);
        if (recurrent.gru)
          reset_state[j] = h[j] * sigmoid(from_input(hidden + row) + from_state(hidden + row, h));
      }
      for (std::size_t j = 0; j < h.size(); ++j) {
        const auto row = static_cast<std::int64_t>(j);
        const double first = sigmoid(from_input(row) + from_state(row, h));
        const double second = sigmoid(from_input(hidden + row) + from_state(hidden + row, h));
        if (recurrent.gru) {
          const std::int64_t last = 2 * hidden + row;
          const double state =
              recurrent.linear_before_reset ? second * from_state(last, h) : from_state(last, reset_state);
          next[j] = (1 - first) * std::tanh(from_input(last) + state) + first * h[j];
        } else {
          const double forget = sigmoid(from_input(2 * hidden + row) + from_state(2 * hidden + row, h));
          c[j] = forget * c[j] +
                 first * std::tanh(from_input(3 * hidden + row) + from_state(3 * hidden + row, h));
          next[j] = second * std::tanh(c[j]);
        }
      }
      h = next;
      for (std::size_t j = 0; j < h.size(); ++j)
        if (op.outputs[0].given()) out(0).at({t, d, n, static_cast<std::int64_t>(j)}) = h[j];
    }
    for (std::size_t j = 0; j < h.size(); ++j)
      for (std::size_t i = 1; i < op.outputs.size(); ++i)
        if (op.outputs[i].given()) out(i).at({d, n, static_cast<std::int64_t>(j)}) = i == 1 ? h[j] : c[j];
  });
}

}  // namespace spica::network
