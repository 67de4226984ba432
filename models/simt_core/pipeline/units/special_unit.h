// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "models/simt_core/pipeline/units/buffered_unit.h"

namespace spica::simt_core {

/// The special-function unit: control and status registers, warp control, ecall and the like.
///
/// Takes    `sfu_interval` cycles for each packet of `sfu_lanes` lanes that has an active lane
/// Fetch    continues when an instruction leaves the unit; after a barrier, when the warp is released
/// Turns    it examines one warp per cycle, including warps without an instruction for it
/// Reads    of the position of a warp may be pipelined (csr_reads): they hold nothing, and of those that have come one
///          is taken in a cycle, in turn (WarpTurn)
/// Holds    a CSR instruction waits at the unit until the earlier instructions of its warp have committed, and blocks
///          those of other warps
/// Order    a barrier, wspawn and the end of a warp issue when the warp's memory accesses are complete
///          (`barrier_waits_for_memory`, deviation D118). CSR accesses and warp control take effect when the unit takes
///          them, ecall and the like at issue
/// Source   vortex core/VX_sfu_unit.sv, core/VX_wctl_unit.sv, core/VX_csr_unit.sv
class SpecialUnit final : public BufferedUnit {
 public:
  using BufferedUnit::BufferedUnit;

  bool offer(const Candidate& c) override;
  void tick(base::Cycle now) override;
  void reset() override;
  void timing(base::Checkpoint& checkpoint) override;

 private:
  base::Cycle take(unsigned warp, const Dispatched& entry, base::Cycle now, base::Cycle taken) override;
  void enter(unsigned warp, const Dispatched& entry) override;
  bool held(unsigned warp) const;
  bool execute(unsigned warp, const Dispatched& entry, base::Cycle now, Effect& effect);
  unsigned packets(std::uint32_t mask) const;
  base::Cycle turn_of(unsigned warp) const;
  /// The next cycle with an instruction, and its warp; none: kNever.
  std::pair<base::Cycle, unsigned> next_turn() const;

  /// The warp whose instruction it takes at `now`, if it can; `first` has the first turn.
  unsigned choose(base::Cycle now, unsigned first);

  unsigned looks_at_ = 0;  // warp examined in cycle since_; then the next warp in each cycle
  base::Cycle since_ = base::kNever;  // never: no instruction since the reset
};

}  // namespace spica::simt_core
