// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/sweep/probe.h"

#include <algorithm>

#include "platform/run/child_process.h"
#include "platform/studies/sweep/runner.h"

namespace spica::sweep {

namespace {

constexpr std::size_t kProbes = 8;

}  // namespace

ProbeCosts probe(const OpenSweep& open, const std::vector<Task>& tasks, unsigned jobs) {
  ProbeCosts costs;
  costs.probes = std::min<std::size_t>(kProbes, tasks.size());
  std::vector<job::ChildJob> children;
  for (std::size_t i = 0; i < costs.probes; ++i) {
    const Task& task = tasks[i * tasks.size() / costs.probes];
    children.push_back(child_of(open.sweep(), open.plan().point(task.index), task.repeat));
  }
  bool is_checked = false;
  for (const job::ChildResult& child : job::run_all(jobs, children)) {
    std::string names;
    const Record record = record_of(open.sweep(), child, names);
    if (record.state == State::kOk && !is_checked) {
      check_kept(open.sweep(), child, costs.unknown);
      is_checked = true;
    }
    costs.cpu_seconds += record.cpu_seconds;
    costs.record_bytes += static_cast<double>(line_of(record).size());
    if (record.state == State::kRefused &&
        std::find(costs.refused.begin(), costs.refused.end(), record.reason) == costs.refused.end())
      costs.refused.push_back(record.reason);
  }
  for (double* sum : {&costs.cpu_seconds, &costs.record_bytes})
    *sum = *sum / static_cast<double>(costs.probes) * static_cast<double>(tasks.size());
  return costs;
}

}  // namespace spica::sweep
