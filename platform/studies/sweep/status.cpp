// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/sweep/status.h"

#include "platform/studies/sweep/runner.h"

namespace spica::sweep {

Status status_of(const OpenSweep& open) {
  const Records records(open.folder(), model_text());
  Status status;
  status.damaged = records.damaged();
  status.of_other_models = records.of_other_models();
  for (const Task& task : all_tasks(open.plan(), open.keys())) {
    const auto record = records.find(task.key);
    const State state = record ? record->state : State::kMissing;
    ++status.states[state];
    const Point point = open.plan().point(task.index);
    for (std::size_t i = 0; i < point.values.size(); ++i)
      ++status.by_axis[open.sweep().axes[i].name][point.values[i]->label][state];
    if (!record) continue;
    status.cpu_seconds += record->cpu_seconds;
    if (state != State::kOk) ++status.reasons[record->reason];
  }
  return status;
}

}  // namespace spica::sweep
