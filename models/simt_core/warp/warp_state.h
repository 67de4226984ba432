// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "models/isa/control_flow.h"
#include "models/isa/lane_kernels.h"
#include "models/isa/machine_mode.h"
#include "models/isa/registers.h"
#include "models/protocol/host_queues/work_group.h"
#include "models/protocol/ports/barrier_visits.h"
#include "models/simt_core/warp/fragment_file.h"

namespace spica::simt_core {

/// Architectural state of one warp: the part visible to its program, the same in both modes.
struct WarpState {
  WarpState(isa::RegisterFile&& own, std::unique_ptr<isa::ControlFlow> control_flow,
            const FragmentFile& of_core)
      : registers(std::move(own)), fragments(of_core), flow(std::move(control_flow)) {}

  isa::RegisterFile registers;
  FragmentFile fragments;
  std::unique_ptr<isa::ControlFlow> flow;  // active mask, and lanes that wait; never null
  isa::FloatState floating;
  isa::MachineMode machine;
  unsigned barrier_id = 0, barrier_count = 0;  // of the last barrier it reached
  std::vector<protocol::BarrierVisits> barrier_visits;   // by id; empty: none
  protocol::WorkGroup group;  // the work group of the warp

  /// Active lanes; 0: the warp has ended.
  std::uint32_t mask() const { return flow->mask(); }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(registers, fragments, *flow, floating, machine, barrier_id, barrier_count, barrier_visits, group);
  }
  void reset() {
    registers.clear();
    fragments.clear();
    flow->reset();
    floating = {};
    machine = {};
    barrier_id = barrier_count = 0;
    barrier_visits.clear();
    group = {};
  }
};

}  // namespace spica::simt_core
