// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "models/base/types.h"
#include "models/isa/instruction.h"
#include "models/simt_core/pipeline/dispatch_buffers.h"
#include "models/simt_core/simt_core_params.h"
#include "models/simt_core/stall_reason.h"

namespace spica::simt_core {

/// The execution units of a core, each with its dispatch buffers, and which of them an instruction goes to.
///
/// Units    one special-function unit (CSR, warp control, system), one load/store unit, `alu_blocks` integer units
///          and `fpu_blocks` floating-point units; warp w uses unit w modulo their number
/// Takes    an instruction per interval, which leaves the unit `latency` cycles later
/// Source   vortex core/VX_dispatch.sv, core/VX_execute.sv; latencies in VX_config.vh
class Units {
 public:
  static constexpr unsigned kSfu = 0, kLoadStore = 1;

  /// An instruction that its unit takes in this cycle; `latency`: until it leaves the unit. That of the load/store
  /// unit is not known here. `entry` is valid until the next push().
  struct Taken {
    unsigned unit, warp;
    const Dispatched* entry;
    base::Cycle latency;
    bool unlocks_fetch;
  };

  explicit Units(const Params& params);

  // -- issue
  unsigned unit_of(const isa::Instruction& instruction, unsigned warp) const {
    return units_of_[kind_[static_cast<std::size_t>(instruction.unit)]][warp];
  }
  /// What dependents of the instruction wait for.
  IssueReason producer(const isa::Instruction& instruction) const { return timing_of(instruction).producer; }
  bool full(unsigned unit, unsigned warp) const { return units_[unit].full(warp); }
  void push(unsigned unit, unsigned warp, const Dispatched& entry) {
    units_[unit].push(warp, entry);
    pending_ |= 1u << unit;
    due_ = std::min(due_, unit_due(unit));
  }

  // -- execution
  bool empty() const { return pending_ == 0; }
  /// No unit can take anything before this cycle.
  base::Cycle due() const { return due_; }
  /// Whether the queue behind the load/store unit has room; while it has none, the unit takes nothing.
  void open_load_store(bool has_room) {
    load_store_open_ = has_room;
    due_ = std::min(due_, unit_due(kLoadStore));
  }
  /// Lets each unit take what it can in cycle `now`: take(Taken).
  template <class Take>
  void run(base::Cycle now, Take&& take) {
    due_ = base::kNever;
    for (std::uint32_t rest = pending_; rest != 0; rest &= rest - 1) {
      const auto unit = static_cast<unsigned>(__builtin_ctz(rest));
      Taken taken;
      if (unit_due(unit) <= now && take_next(unit, now, taken)) take(taken);
      due_ = std::min(due_, unit_due(unit));
    }
  }

  void reset();

 private:
  enum Kind : std::uint8_t { kSpecial, kMemory, kInteger, kFloat, kKinds };
  struct Timing {
    std::uint8_t latency;  // from the unit to its output
    std::uint8_t interval;  // for how long the unit is taken
    bool unlocks_fetch;
    IssueReason producer;
  };
  static Kind kind_of(isa::Unit unit);
  static Timing make_timing(isa::Unit unit, const Params& params);

  const Timing& timing_of(const isa::Instruction& instruction) const {
    return timing_[static_cast<std::size_t>(instruction.unit)];
  }
  base::Cycle unit_due(unsigned unit) const {
    return unit == kLoadStore && !load_store_open_ ? base::kNever : units_[unit].due();
  }
  bool take_next(unsigned unit, base::Cycle now, Taken& taken) {
    taken.unit = unit;
    taken.entry = units_[unit].take(now, taken.warp);
    if (taken.entry == nullptr) return false;
    if (units_[unit].empty()) pending_ &= ~(1u << unit);
    const isa::Unit kind = taken.entry->instruction->unit;
    const Timing& timing = timing_[static_cast<std::size_t>(kind)];
    taken.latency = timing.latency;
    taken.unlocks_fetch = timing.unlocks_fetch;
    base::Cycle interval = timing.interval;
    if (kind == isa::Unit::kCsr || kind == isa::Unit::kWarpControl) {
      interval = std::max(1u, sfu_packets(taken.entry->mask));
      taken.latency += interval - 1;
    }
    units_[unit].hold_until(now + interval);
    return true;
  }
  unsigned sfu_packets(std::uint32_t mask) const;

  std::uint32_t pending_ = 0;  // units with something in their dispatch buffers
  bool load_store_open_ = true;
  base::Cycle due_ = base::kNever;
  std::vector<DispatchBuffers> units_;  // special functions, load/store, integer units, floating-point units
  std::array<std::uint8_t, static_cast<std::size_t>(isa::Unit::kCount)> kind_{};
  std::array<Timing, static_cast<std::size_t>(isa::Unit::kCount)> timing_{};
  std::array<std::array<std::uint8_t, 32>, kKinds> units_of_{};  // by kind and warp
  const unsigned lanes_, sfu_lanes_;
};

}  // namespace spica::simt_core
