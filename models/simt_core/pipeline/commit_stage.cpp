// SPDX-License-Identifier: Apache-2.0
#include "models/simt_core/pipeline/commit_stage.h"

namespace spica::simt_core {

void CommitStage::complete_product(const protocol::Origin& begun) {
  ++scheduled_[begun.warp];
  const base::Cycle now = core_.now();
  core_.core.wake_at(write_back_.schedule_at_free_port(
      now, now + 1 + core_.params.commit_latency,
      {begun.warp, false, static_cast<std::uint8_t>(base::count_bits(begun.lanes)), begun.pc, 0}));
}

bool CommitStage::complete_row(const protocol::TensorResult& row) {
  const base::Cycle now = core_.now();
  const base::Cycle due = now + core_.params.commit_latency;
  if (!write_back_.take_port(row.warp, now, due)) return false;
  ++scheduled_[row.warp];
  // Only the last micro-op counts as an instruction.
  const auto counted = row.last ? static_cast<std::uint8_t>(base::count_bits(row.lanes)) : std::uint8_t{0};
  const Completion completion{row.warp, false, counted, row.pc, std::uint64_t{1} << row.result};
  if (due == now) commit(completion);
  else write_back_.schedule(now, due, completion);
  core_.core.wake_at(due);
  return true;
}

}  // namespace spica::simt_core
