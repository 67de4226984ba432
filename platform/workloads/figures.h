// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platform/run/job_outcome.h"
#include "platform/run/results.h"
#include "platform/workloads/summary.h"

namespace spica::workloads {

/// What a workload has to say of its run.
struct Figures {
  job::RunFigures run;  // for the results
  Summary summary;
  std::string tables;  // behind the summary
  std::string problems;  // what has not ended
  std::vector<std::string> wrong;  // results, a line each, where `summary.check` does not say it

  /// `peak`: multiply-adds of a cycle.
  void add_work(std::uint64_t multiply_adds, double peak, const job::JobOutcome& outcome) {
    summary.utilisation =
        static_cast<double>(multiply_adds) / peak / static_cast<double>(outcome.kernel_cycles);
    if (!outcome.good()) return;  // not all was computed
    run.utilisation = summary.utilisation;
    run.multiply_adds = summary.multiply_adds = multiply_adds;
  }
};

}  // namespace spica::workloads
