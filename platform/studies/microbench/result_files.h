// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "platform/studies/microbench/microbench.h"

namespace spica::microbench {

/// One line per measurement, after a header line.
std::string results_csv(const std::vector<MicrobenchResult>& results);
/// The same as JSON, with the machine.
std::string results_json(const std::vector<MicrobenchResult>& results, const MicrobenchOptions& options);

}  // namespace spica::microbench
