// SPDX-License-Identifier: Apache-2.0
// Which part of a run was timed: what results and summary say of it.
#pragma once

#include <string>

namespace spica::job {
class Job;
struct JobOutcome;
struct RunFigures;
}  // namespace spica::job

namespace spica::cli {

struct GemmSummary;

/// `window`: of the program, see workloads::timed_window(). A finished run without markers was timed as a whole.
void report_region(const std::string& window, job::Job& job, const job::JobOutcome& outcome,
                   job::RunFigures& figures, GemmSummary& summary);

}  // namespace spica::cli
