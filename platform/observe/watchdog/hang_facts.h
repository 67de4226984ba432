// SPDX-License-Identifier: Apache-2.0
// The facts about a machine that makes no progress: plain data, read once when it stops.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "models/base/types.h"
#include "platform/machine/soc/machine.h"
#include "platform/observe/watchdog/spin_recorder.h"

namespace spica::watchdog {

struct WarpFact {
  unsigned cluster = 0, core = 0, warp = 0;  // core number within the machine
  std::uint64_t group = 0;  // number of its work group in the grid, from 1; 0: none
  bool started = false, running = false;
  bool at_barrier = false;
  unsigned barrier_id = 0, barrier_count = 0;  // last barrier it reached
  std::uint32_t pc = 0;    // next instruction; for an ended warp, its last
  std::uint32_t mask = 0;  // active lanes
  struct Split {
    std::uint32_t pc = 0;
    std::uint32_t waiting = 0;  // lanes that continue only when the active ones reach the join
    bool parked =
        false;  // not a split: a group of lanes with core.reconvergence=min_pc, before the instruction at pc
  };
  std::vector<Split> splits;  // open splits, outermost first
  std::vector<protocol::BarrierVisits> barrier_visits;  // by id; empty: none
  std::string doing;  // short description
  WarpActivity activity;  // its activity in the last window
};

struct HangFacts {
  base::Cycle cycle = 0;
  unsigned clusters = 1, cores_per_cluster = 1, warps_per_core = 1;
  bool asleep = false;  // nothing in the machine can ever change again
  bool units_idle = true;  // no matrix unit, DMA or tensor core has work
  std::vector<WarpFact> warps;  // all warps, by core and warp
  std::vector<soc::OpenBarrier> open_barriers;
  std::map<std::uint32_t, protocol::Origin> changes;  // by polled word: the last atomic that changed it

  bool spins(const WarpFact& warp) const {
    return warp.running && !warp.at_barrier && warp.activity.state == WarpActivity::State::kSpinning;
  }
};

/// Texts for pcs and addresses in a report.
struct Names {
  /// The place of a pc, such as "worker, main.cpp:12": the innermost place outside the kernel library, else the library
  /// function; "" if unknown.
  std::function<std::string(std::uint32_t)> place;
  /// True if the pc is in the library code where its warps wait and end.
  std::function<bool(std::uint32_t)> in_library;
  /// The name of a data address, such as "flag (0x80001234)".
  std::function<std::string(std::uint32_t)> address;
  std::function<bool(std::uint32_t)> peripheral;  // the address belongs to registers of a unit
};

/// Reads the facts from a machine. `activity`: SpinRecorder::result(), or empty.
HangFacts hang_facts(soc::Machine& machine, const std::vector<WarpActivity>& activity, bool asleep);

}  // namespace spica::watchdog
