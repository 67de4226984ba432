// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/network/expected_cells.h"

#include <cmath>

namespace spica::network {

namespace {

constexpr double kAllowed = 8 * 0x1p-24;

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

double element(const Array& matrix, std::int64_t row, std::int64_t column) {
  return matrix.values[static_cast<std::size_t>(row * matrix.strides[0] + column * matrix.strides[1])];
}

}  // namespace

void expect_lstm_cell(const std::vector<Array>& inputs, Expected& state, Expected& cells) {
  const Array &gates = inputs[0], &before = inputs[1];
  const std::int64_t hidden = before.extents[1];
  std::size_t i = 0;
  for (std::int64_t n = 0; n < before.extents[0]; ++n)
    for (std::int64_t j = 0; j < hidden; ++j, ++i) {
      const auto gate = [&](std::int64_t number) { return element(gates, n, number * hidden + j); };
      const double c = sigmoid(gate(2)) * element(before, n, j) + sigmoid(gate(0)) * std::tanh(gate(3));
      cells.values[i] = c;
      state.values[i] = sigmoid(gate(1)) * std::tanh(c);
      cells.allowed[i] = state.allowed[i] = kAllowed * (1 + std::abs(element(before, n, j)));
    }
}

void expect_gru_cell(const GruCell& cell, const std::vector<Array>& inputs, Expected& state) {
  const Array &of_x = inputs[0], &of_state = inputs[1], &before = inputs[2];
  const std::int64_t hidden = before.extents[1];
  std::size_t i = 0;
  for (std::int64_t n = 0; n < before.extents[0]; ++n)
    for (std::int64_t j = 0; j < hidden; ++j, ++i) {
      const auto sum = [&](std::int64_t number, double factor) {
        return element(of_x, n, number * hidden + j) + factor * element(of_state, n, number * hidden + j);
      };
      const double update = sigmoid(sum(0, 1)),
                   next = std::tanh(sum(2, cell.resets ? sigmoid(sum(1, 1)) : 1));
      state.values[i] = (1 - update) * next + update * element(before, n, j);
      state.allowed[i] =
          kAllowed * (1 + std::abs(element(before, n, j)) + std::abs(element(of_state, n, 2 * hidden + j)));
    }
}

}  // namespace spica::network
