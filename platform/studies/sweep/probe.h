// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "platform/studies/sweep/open_sweep.h"

namespace spica::sweep {

/// What runs would cost, from a few of them.
struct ProbeCosts {
  std::size_t probes = 0;                      // that ran
  double cpu_seconds = 0, record_bytes = 0;    // of all
  std::vector<std::string> refused;            // reasons
  std::vector<std::string> unknown;            // names of results that the first good run has not
};

/// Runs a few of the tasks, spread over all, without a record. Throws UserError for a mistyped name of a result.
ProbeCosts probe(const OpenSweep& open, const std::vector<Task>& tasks, unsigned jobs);

}  // namespace spica::sweep
