// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/region_figures.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "platform/base/text/number_format.h"
#include "platform/machine/soc/measured_machine.h"
#include "platform/run/job.h"
#include "platform/run/job_outcome.h"
#include "platform/workloads/figures.h"
#include "platform/workloads/timed_region.h"

namespace spica::workloads {

void add_region(Figures& figures, const std::string& window, job::Job& job, const job::JobOutcome& outcome) {
  const bool is_whole = outcome.good() && !job.fast() && !outcome.has_markers;
  const std::string_view timed = is_whole ? kWholeRun : std::string_view(window);
  figures.run.details["window"] = timed;
  figures.run.details["timed"] = window_text(timed);
  if (timed != kResultsWindow) figures.summary.timed = fmt::format("{}: {}", timed, window_text(timed));
  figures.run.details["lead_cycles"] = json::Value();
  if (job.fast() || !outcome.good()) return;
  const std::optional<base::Cycle> lead = job.measured().region().lead();
  if (!lead) return;
  figures.run.details["lead_cycles"] = *lead;
  const auto part = static_cast<double>(*lead), all = static_cast<double>(outcome.kernel_cycles);
  if (is_long_lead(part, all))
    figures.summary.lead =
        fmt::format("{} cycles ({:.1f} %) before the first load of an operand reaches memory",
                    text::grouped(*lead), lead_percent(part, all));
}

}  // namespace spica::workloads
