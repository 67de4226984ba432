// SPDX-License-Identifier: Apache-2.0
// What is known of a machine that makes no progress: plain data, read once when it stops.
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
  unsigned cluster = 0, core = 0, warp = 0;  // core over all clusters
  std::uint64_t group = 0;  // number of its work group in the grid, from 1; 0: it belongs to none
  bool started = false, running = false;
  bool at_barrier = false;
  unsigned barrier_id = 0, barrier_count = 0;  // of the last one it came to
  std::uint32_t pc = 0;    // next instruction; of a warp that ended, its last
  std::uint32_t mask = 0;  // active lanes
  struct Split {
    std::uint32_t pc = 0;
    std::uint32_t waiting = 0;  // lanes that continue only when the active ones come to the join
    bool parked =
        false;  // no split: a group of lanes of core.reconvergence=min_pc, before the instruction at pc
  };
  std::vector<Split> splits;  // open ones, outermost first
  std::vector<protocol::BarrierVisits> barrier_visits;  // by id; empty: none
  std::string doing;  // in a few words
  WarpActivity activity;  // what it did while it was watched
};

struct HangFacts {
  base::Cycle cycle = 0;
  unsigned clusters = 1, cores_per_cluster = 1, warps_per_core = 1;
  bool asleep = false;  // nothing in the machine can ever move again
  bool units_idle = true;  // no matrix unit, DMA or tensor core has work
  std::vector<WarpFact> warps;  // all, by core and warp
  std::vector<soc::OpenBarrier> open_barriers;
  std::map<std::uint32_t, protocol::Origin> changes;  // words that warps poll: whose atomic changed them last

  bool spins(const WarpFact& warp) const {
    return warp.running && !warp.at_barrier && warp.activity.state == WarpActivity::State::kSpinning;
  }
};

/// How pcs and addresses read in a report.
struct Names {
  /// "worker, main.cpp:12" of a pc: the innermost place outside the kernel library, else the function of the library;
  /// "" when nothing is known.
  std::function<std::string(std::uint32_t)> place;
  /// A pc whose place is the library's: where its warps wait and end.
  std::function<bool(std::uint32_t)> in_library;
  /// "flag (0x80001234)" of a data address.
  std::function<std::string(std::uint32_t)> address;
  std::function<bool(std::uint32_t)> peripheral;  // the address belongs to registers of a unit
};

/// Reads the facts off a machine; `activity` as SpinRecorder::result() gives it, or empty.
HangFacts hang_facts(soc::Machine& machine, const std::vector<WarpActivity>& activity, bool asleep);

}  // namespace spica::watchdog
