// SPDX-License-Identifier: Apache-2.0
// `spica experiment required-bandwidth`: a table calculated from formulas, not a sweep.
#pragma once

#include <string>

#include "platform/studies/experiment/required_bandwidth.h"
#include "platform/workloads/places.h"

namespace spica::experiment {

inline constexpr const char* kRequiredBandwidth = "required-bandwidth";
inline constexpr const char* kRequiredBandwidthTitle =
    "Bandwidth that layers need at each level of a GPU's memory, from formulas; with --measure also from simulations";

/// Reports on the machines in the configurations of `places`. Writes results to the folder `out` and, unless empty, a page with charts to
/// `report`. `jobs`: number of concurrent runs that measure a part of each layer; 0: no simulation. Returns the exit
/// code.
int show_required_bandwidth(const BandwidthChoice& choice, const workloads::Places& places,
                            const std::string& out, const std::string& report, unsigned jobs);

}  // namespace spica::experiment
