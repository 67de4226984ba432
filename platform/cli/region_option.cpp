// SPDX-License-Identifier: Apache-2.0
#include "platform/cli/region_option.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "platform/cli/summary.h"
#include "platform/machine/soc/soc.h"
#include "platform/observe/report/number_format.h"
#include "platform/run/job.h"
#include "platform/run/job_outcome.h"
#include "platform/run/results.h"
#include "platform/workloads/timed_region.h"

namespace spica::cli {

void report_region(const std::string& window, job::Job& job, const job::JobOutcome& outcome,
                   job::RunFigures& figures, GemmSummary& summary) {
  const bool is_whole = outcome.good() && !job.fast() && !outcome.has_markers;
  const std::string_view timed = is_whole ? workloads::kWholeRun : std::string_view(window);
  figures.details["window"] = timed;
  figures.details["timed"] = workloads::window_text(timed);
  if (timed != workloads::kResultsWindow)
    summary.timed = fmt::format("{}: {}", timed, workloads::window_text(timed));
  figures.details["lead_cycles"] = json::Value();
  if (job.fast() || !outcome.good()) return;
  const std::optional<base::Cycle> lead = job.soc().region().lead();
  if (lead) figures.details["lead_cycles"] = *lead;
  if (lead && workloads::is_long_lead(*lead, outcome.kernel_cycles))
    summary.lead = fmt::format("{} cycles ({:.1f} %) before the first load of an operand reaches memory",
                               report::grouped(*lead), workloads::lead_percent(*lead, outcome.kernel_cycles));
}

}  // namespace spica::cli
