// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/simt_core/pipeline/units/buffered_unit.h"
#include "models/simt_core/pipeline/units/load_writer.h"
#include "models/simt_core/pipeline/units/memory_queue.h"
#include "models/simt_core/pipeline/units/operation_slots.h"
#include "models/simt_core/pipeline/units/stale_operands.h"
#include "models/simt_core/pipeline/units/warp_requests.h"
#include "models/simt_core/warp/fragments.h"

namespace spica::simt_core {

/// Receives the results of fragment loads.
class FragmentLoads {
 public:
  virtual ~FragmentLoads() = default;
  /// A phase of a load has arrived; its words are in the fragment, and usable from cycle `due` on.
  virtual void on_phase(unsigned warp, unsigned fragment, base::Cycle due) = 0;
};

/// A load/store unit: loads, stores, atomics and fences.
///
/// Issue    addresses are checked and requests made; registers are written when the answers come
/// Takes    an instruction while the queue after it has room
/// Locks    with `stale_fence_entries`: see StaleOperands
/// Copies   an asynchronous copy commits when it has issued; a wait issues when few enough groups of its warp are in
///          flight
/// Source   vortex core/VX_lsu_unit.sv
class LoadStoreUnit final : public BufferedUnit, private MemoryClient {
 public:
  /// `queue`: its number among the load/store units.
  LoadStoreUnit(const Stages& stages, Agenda& agenda, MemoryPorts& ports, unsigned number, unsigned queue);

  bool offer(const Candidate& c) override;
  /// Offers a phase of a load or store of a fragment; only the last one names lanes and counts as the instruction.
  /// False: there is no room, and the scoreboard has the reason.
  bool offer_phase(const Candidate& c, const FragmentMove& move, unsigned phase);
  /// Before the run.
  void connect(FragmentLoads& loads) { fragment_loads_ = &loads; }
  void tick(base::Cycle now) override;
  bool done() const override { return BufferedUnit::done() && slots_.all_free() && queue_.empty(); }
  void reset() override;
  // Not saved: requests_, which only caches look-ups.
  void add_to(base::Checkpoint& checkpoint) override;
  void timing(base::Checkpoint& checkpoint) override;
  void dump_state(std::ostream& out) const override { queue_.dump_state(out); }

  bool fence_at_head() const { return queue_.fence_at_head(); }
  /// Warp 0 issues this instruction.
  void show(const isa::Instruction& instruction, base::Cycle now) {
    const base::Cycle way = operands_.latency();
    stale_.push(now + (way > 2 ? way - 2 : 0), instruction);
  }
  /// With mpm_class 1: cycles from issue to the last lane's data, summed over loads and atomics.
  std::uint64_t load_cycles() const { return load_cycles_; }

 private:
  base::Cycle take(unsigned warp, const Dispatched& entry, base::Cycle now, base::Cycle taken) override;
  void tick_buffers(base::Cycle now);
  void tick_with_stale_operands(base::Cycle now);
  base::Cycle next_due() const {
    return queue_.has_room() ? std::min(queue_.due(), buffers_.due()) : queue_.due();
  }
  bool can_take(const Candidate& c);
  void start(const Candidate& c, unsigned slot);
  bool send(const Candidate& c, const WarpRequests::Made& made);
  bool send_fence(const Candidate& c);
  bool offer_apart(const Candidate& c);
  bool offer_async(const Candidate& c);
  void commit(unsigned slot, const MemoryOperation& operation);

  // MemoryClient
  void on_load_data(unsigned slot, const MemoryOperation& operation, const protocol::WarpAccess& access,
                    bool last) override;
  void on_lanes(const MemoryOperation& operation) override;
  void on_memory_done(unsigned slot, const MemoryOperation& operation) override;
  void on_copies_landed(unsigned warp) override;
  void on_access_error(const protocol::Payload& payload) override;
  void on_memory_event() override;

  OperationSlots slots_;
  MemoryQueue queue_;
  WarpRequests requests_{stages_.core, slots_, queue_.copies()};
  LoadWriter writer_;
  StaleOperands stale_;
  FragmentLoads* fragment_loads_ = nullptr;
  const bool counts_latency_;
  std::uint64_t load_cycles_ = 0;
};

}  // namespace spica::simt_core
