// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/isa/control_flow.h"
#include "models/simt_core/simt_core_params.h"
#include "models/simt_core/warp/warp_state.h"
#include "models/simt_core/warp/zeroed_array.h"

namespace spica::simt_core {

/// The architectural state of the warps of one core, and the rules by which they start, meet at barriers and end.
/// Independent of time and pipeline; sets of warps are masks with one bit per warp.
class CoreState {
 public:
  /// `control_flow`: the policy of its warps; without one, that of the parameters.
  explicit CoreState(const Params& params, const isa::ControlFlowMaker& control_flow = {});

  WarpState& operator[](unsigned warp) { return warps_[warp]; }
  const WarpState& operator[](unsigned warp) const { return warps_[warp]; }
  unsigned warps() const { return static_cast<unsigned>(warps_.size()); }

  /// Warps that have not ended; those of them at a barrier; the others.
  std::uint32_t active() const { return active_; }
  std::uint32_t at_barrier() const { return at_barrier_; }
  std::uint32_t running() const { return active_ & ~at_barrier_; }

  /// A fault has stopped the core for good; `warp` caused it.
  bool halted() const { return halted_; }
  bool halted_by(unsigned warp) const { return halted_ && warp == halted_warp_; }
  void halt(unsigned warp) {
    halted_ = true;
    halted_warp_ = warp;
  }

  /// Stops the core because of a fault elsewhere.
  void halt() {
    if (!halted_) halt(~0u);
  }

  /// The program starts: lane 0 of warp 0.
  void launch();
  /// Starts a warp of a work group, without state of its previous use.
  void launch(unsigned warp, std::uint32_t lanes, const protocol::WorkGroup& group);
  /// wspawn: lane 0 of the first `count` warps except `by` runs, in addition to the lanes already running. Returns
  /// these warps.
  std::uint32_t spawn(unsigned by, std::uint32_t count);
  /// The warp has no lane left. False: it was inside a split.
  bool end(unsigned warp);
  /// A warp of a work group has ended. Returns the barriers, one bit each, at which all others of this core
  /// wait, if ended warps count as arrived.
  std::uint32_t leave_group(unsigned warp);
  /// Warps of its work group that have ended on this core, if they count as arrived.
  std::uint32_t ended_beside(unsigned warp) const;
  /// The warp arrives at a barrier and waits. True: `count` warps of this core have arrived. A work group has its own
  /// barriers; `count` 0 means all of its warps on this core. `pc`: address of the barrier instruction.
  bool arrive(unsigned warp, std::uint32_t id, std::uint32_t count, std::uint32_t pc = 0);
  /// All cores have arrived. Returns the warps that continue.
  std::uint32_t release(unsigned id);

  /// "ended", "stopped by the fault", "waits at barrier 3 (1 of 4 warps of this core have arrived)"; "" while it runs.
  std::string describe(unsigned warp) const;

  /// Not saved: registers_ and fragments_, which the warps save.
  template <class Archive>
  void serialize(Archive& archive) {
    archive(active_, at_barrier_, halted_, halted_warp_, arrivals_, ended_);
    for (WarpState& warp : warps_) archive(warp);
  }
  void reset();

 private:
  void record_arrival(unsigned warp, std::uint32_t id, std::uint32_t pc);
  void compare_arrivals(std::uint32_t id);

  std::uint32_t active_ = 0, at_barrier_ = 0;
  bool halted_ = false;
  unsigned halted_warp_ = 0;
  // Of all warps: large, and often unused.
  ZeroedArray<isa::RegisterFile::Block> registers_;
  ZeroedArray<std::uint32_t> fragments_;
  std::vector<WarpState> warps_;
  std::vector<unsigned> arrivals_;  // by id of a barrier: warps of this core that wait there
  std::vector<std::uint32_t>
      ended_;  // by slot of a work group: warps of this core that have ended, and count
};

}  // namespace spica::simt_core
