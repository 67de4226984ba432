// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "platform/job/results.h"

namespace spica::job {

/// stats.json of the fast mode.
json::Value fast_results(const RunFacts& run, const RunFigures& figures, const std::string& config_text);

}  // namespace spica::job
