// SPDX-License-Identifier: Apache-2.0
// `spica experiment required-bandwidth`: a table from formulas, which is not a sweep.
#pragma once

#include <filesystem>
#include <string>

#include "platform/studies/experiment/required_bandwidth.h"

namespace spica::experiment {

inline constexpr const char* kRequiredBandwidth = "required-bandwidth";
inline constexpr const char* kRequiredBandwidthTitle =
    "Bandwidth that layers ask of each level of a GPU's memory, from formulas; --measure: and from simulations";

/// Reports on the machines in `configs`. Results go to the folder `out`, a page with charts to `report` unless empty.
/// `jobs`: runs at a time that measure a part of each layer; 0: nothing is simulated. Returns the exit code.
int show_required_bandwidth(const BandwidthChoice& choice, const std::filesystem::path& configs,
                            const std::string& out, const std::string& report, unsigned jobs);

}  // namespace spica::experiment
