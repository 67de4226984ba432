// SPDX-License-Identifier: Apache-2.0
// Reports the timed part of a run in results and summary.
#pragma once

#include <string>

namespace spica::job {
class Job;
struct JobOutcome;
}  // namespace spica::job

namespace spica::workloads {

struct Figures;

/// `window`: of the program, see timed_window(). A finished run without markers was timed as a whole.
void add_region(Figures& figures, const std::string& window, job::Job& job, const job::JobOutcome& outcome);

}  // namespace spica::workloads
