// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/matrix_unit/commands.h"
#include "models/matrix_unit/matrix_unit_stats.h"
#include "models/matrix_unit/unit_faults.h"
#include "models/matrix_unit/unit_work.h"
#include "models/protocol/ports/fault_if.h"
#include "models/protocol/ports/probe_if.h"

namespace spica::matrix_unit {

/// Counts the unit commands that are executed, and tells observers of them, in both modes.
class WorkLog {
 public:
  /// `probed`: its probe is notified.
  WorkLog(const MatrixUnitParams& params, MatrixUnitStats& stats, const protocol::Probed& probed)
      : params_(params), stats_(stats), probed_(probed) {}
  void connect(protocol::FaultIf& fault) { fault_ = &fault; }

  /// `id` identifies the command until it ends.
  void begin(const UnitCommand& command, std::uint32_t id, base::Cycle now) {
    count(command);
    if (probed_.probe() != nullptr) notify_begin(command, id, now);
  }
  void end(std::uint32_t id, base::Cycle now) {
    if (probed_.probe() != nullptr) probed_.probe()->on_work_end(now, probed_.source(), id);
  }
  /// A load or store has left memory.
  void failed(const UnitCommand& command, base::Cycle now) {
    ++stats_.bad_commands;
    fault_->report(left_memory(params_, now, command));
  }

 private:
  void notify_begin(const UnitCommand& command, std::uint32_t id, base::Cycle now) {
    probed_.probe()->on_work_begin(now, probed_.source(), work_of(command, id, params_));
  }
  void count(const UnitCommand& command);

  const MatrixUnitParams& params_;
  MatrixUnitStats& stats_;
  const protocol::Probed& probed_;
  protocol::FaultIf* fault_ = nullptr;
};

inline void WorkLog::count(const UnitCommand& command) {
  switch (command.kind) {
    case UnitCommand::Kind::kLoad: ++stats_.loads; break;
    case UnitCommand::Kind::kStore: ++stats_.stores; break;
    case UnitCommand::Kind::kPreload: stats_.preloads += command.has_operand ? 1 : 0; break;
    case UnitCommand::Kind::kCompute:
      ++stats_.block_operations;
      if (params_.block_scales && command.first_of_k) break;  // scales are moved in
      stats_.macs += std::uint64_t{command.rows} * command.columns * params_.macs_per_cell * params_.dim;
      break;
  }
}

}  // namespace spica::matrix_unit
