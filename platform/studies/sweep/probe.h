// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "platform/studies/sweep/open_sweep.h"

namespace spica::sweep {

/// An estimate of the cost of runs, from a few of them.
struct ProbeCosts {
  std::size_t probes = 0;                      // number of executed runs
  double cpu_seconds = 0, record_bytes = 0;    // estimate for all runs
  std::vector<std::string> refused;            // reasons of refused runs
  std::vector<std::string> unknown;            // names of results that the first good run does not have
};

/// Executes a few of the tasks, spread over all, without records. Throws UserError for a mistyped name of a result.
ProbeCosts probe(const OpenSweep& open, const std::vector<Task>& tasks, unsigned jobs);

}  // namespace spica::sweep
