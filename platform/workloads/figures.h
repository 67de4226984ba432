// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platform/run/job_outcome.h"
#include "platform/run/results.h"
#include "platform/workloads/summary.h"

namespace spica::workloads {

/// The figures of a run that its workload computes.
struct Figures {
  job::RunFigures run;  // for the results
  Summary summary;
  std::string tables;  // printed after the summary
  std::string problems;  // parts that have not ended
  std::vector<std::string> wrong;  // errors in results, one line each, that `summary.check` does not include

  /// `peak`: multiply-adds per cycle. Nothing if only a part of the work was measured.
  void add_work(std::uint64_t multiply_adds, double peak, const job::JobOutcome& outcome) {
    if (!outcome.is_whole) return;
    summary.utilisation =
        static_cast<double>(multiply_adds) / peak / static_cast<double>(outcome.kernel_cycles);
    if (!outcome.good()) return;  // the computation is incomplete
    run.utilisation = summary.utilisation;
    run.multiply_adds = summary.multiply_adds = multiply_adds;
  }
};

}  // namespace spica::workloads
