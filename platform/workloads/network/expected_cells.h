// SPDX-License-Identifier: Apache-2.0
// Expected results of the cells of recurrent networks.
#pragma once

#include <vector>

#include "platform/workloads/network/array.h"
#include "platform/workloads/network/expected.h"

namespace spica::network {

void expect_lstm_cell(const std::vector<Array>& inputs, Expected& state, Expected& cells);
void expect_gru_cell(const GruCell& cell, const std::vector<Array>& inputs, Expected& state);

}  // namespace spica::network
