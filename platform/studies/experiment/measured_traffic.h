// SPDX-License-Identifier: Apache-2.0
// Measures the traffic of a multiprocessor of this platform, for layers whose traffic the formulas predict.
#pragma once

#include <filesystem>
#include <vector>

#include "platform/studies/experiment/required_bandwidth.h"
#include "platform/workloads/places.h"

namespace spica::experiment {

/// The simulated part of a layer (on one multiprocessor), the number of concurrent runs, and the folder of their sweep.
struct MeasureChoice {
  std::uint32_t most_m = 256, most_n = 256, most_k = 8192;
  unsigned jobs = 1;
  std::filesystem::path folder;
};

/// Simulates a part of each product of tensor cores on a GPU that names a machine (Gpu::machine), and adds the traffic
/// to the rows; other rows stay unchanged. Equal parts are simulated once. The runs are a sweep that stays in the
/// folder, so an interrupted measurement resumes. Throws UserError if runs remain.
void measure(std::vector<BandwidthRow>& rows, const MeasureChoice& choice, const workloads::Places& places);

}  // namespace spica::experiment
