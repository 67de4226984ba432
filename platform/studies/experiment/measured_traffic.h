// SPDX-License-Identifier: Apache-2.0
// What a multiprocessor of this platform moves for layers whose traffic the formulas give.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "platform/studies/experiment/required_bandwidth.h"

namespace spica::experiment {

/// Which part of a layer is simulated, on one multiprocessor, with how many runs at a time, and where their results go.
struct MeasureChoice {
  std::uint32_t most_m = 256, most_n = 256, most_k = 8192;
  unsigned jobs = 1;
  std::string out;
};

/// Simulates a part of each product of tensor cores on a GPU that names a machine (Gpu::machine), and puts what was
/// moved into the rows; other rows stay as they are. Equal parts are simulated once. `progress(done, all)` is called
/// now and then.
void measure(std::vector<BandwidthRow>& rows, const MeasureChoice& choice,
             const std::function<void(std::size_t, std::size_t)>& progress);

}  // namespace spica::experiment
