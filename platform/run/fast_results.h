// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "platform/run/results.h"

namespace spica::job {

/// The parts of stats.json in the fast mode, and the whole document.
json::Value fast_run_results(const RunFacts& run, const RunFigures& figures);
json::Value fast_block_results(const RunFacts& run);
json::Value fast_results(const RunFacts& run, const RunFigures& figures);

}  // namespace spica::job
