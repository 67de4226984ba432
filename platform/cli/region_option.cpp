// SPDX-License-Identifier: Apache-2.0
#include "platform/cli/region_option.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "platform/cli/choices.h"
#include "platform/cli/summary.h"
#include "platform/run/job.h"
#include "platform/run/job_outcome.h"
#include "platform/run/results.h"
#include "platform/workloads/timed_region.h"

namespace spica::cli {

void add_region_option(Command& command, std::string& region) {
  command
      .option(
          "--region", region,
          "what is timed. results: from the first load to the last result in memory. published: what the published program "
          "of the design times, its `window` (default: results; of a kernel that has only its window, that)")
      .one_of(names_of(workloads::kRegions));
}

void report_region(const std::string& window, job::Job& job, const job::JobOutcome& outcome,
                   job::RunFigures& figures, GemmSummary& summary) {
  const bool is_whole = outcome.good() && !job.fast() && !outcome.has_markers;
  const std::string_view timed = is_whole ? workloads::kWholeRun : std::string_view(window);
  figures.details["window"] = timed;
  figures.details["timed"] = workloads::window_text(timed);
  if (timed != workloads::kResultsWindow)
    summary.timed = fmt::format("{}: {}", timed, workloads::window_text(timed));
}

}  // namespace spica::cli
