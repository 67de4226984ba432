// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/base/bits.h"
#include "models/base/hot_inline.h"
#include "models/protocol/ports/tensor_if.h"
#include "models/simt_core/pipeline/context.h"
#include "models/simt_core/pipeline/decoded.h"
#include "models/simt_core/pipeline/front_end.h"
#include "models/simt_core/pipeline/gather_buffers.h"
#include "models/simt_core/pipeline/scoreboard.h"
#include "models/simt_core/pipeline/write_back.h"

namespace spica::simt_core {

/// The end of instructions: each writes back in its own cycle of its warp's port and wakes its dependents.
///
/// Order    completed results take the first free cycle, whichever unit they come from
/// Source   vortex core/VX_commit.sv (units in turn, one per warp and cycle)
class CommitStage {
 public:
  CommitStage(Context& core, FrontEnd& front_end, Scoreboard& scoreboard)
      : core_(core),
        front_end_(front_end),
        scoreboard_(scoreboard),
        write_back_(static_cast<unsigned>(core.params.warps)),
        gather_(static_cast<unsigned>(core.params.warps), static_cast<unsigned>(core.params.gather_entries),
                core.params.commit_latency) {}

  /// An instruction has its results in cycle `due`, or as soon as the port is free.
  void complete(base::Cycle now, unsigned w, const Decoded& instruction, std::uint32_t pc, unsigned lanes,
                base::Cycle due, bool unlocks_fetch) {
    write_back_.schedule_at_free_port(
        now, due, w, {pc, static_cast<std::uint8_t>(lanes), instruction.result, unlocks_fetch});
  }
  /// A hgmma has started and commits; only hgmma_wait still waits for it.
  void complete_product(const protocol::Origin& origin);
  /// A row of results of a wmma leaves the tensor core in this cycle. False: no entry is free to wait in; without entries,
  /// the port is taken.
  bool complete_row(const protocol::TensorResult& row) {
    const base::Cycle now = core_.now();
    base::Cycle due = now + core_.params.commit_latency;
    if (gather_.none()) {
      if (!write_back_.free(row.warp, now, due)) return false;
    } else {
      if (gather_.full(row.warp, now)) return false;
      due = write_back_.free_from(row.warp, now, due);
      gather_.enter(row.warp, due);
    }
    // Only the last micro-op counts as an instruction.
    const auto lanes = row.last ? static_cast<std::uint8_t>(base::count_bits(row.lanes)) : std::uint8_t{0};
    write_back_.schedule(now, due, row.warp, {row.pc, lanes, row.result, false});
    core_.core.wake_at(due);
    return true;
  }
  /// An accumulator row passes through the port in cycle `due`. False: the port is taken.
  bool pass_row(unsigned w, base::Cycle due) { return write_back_.hold_port(w, core_.now(), due); }

  /// Reserves the port for the write-back of some lanes of an instruction, in cycle `due` or as soon as it is free.
  void hold_next_port(unsigned w, base::Cycle due) {
    while (!write_back_.hold_port(w, core_.now(), due)) ++due;
  }

  bool empty() const { return write_back_.empty(); }
  base::Cycle due(base::Cycle now) const { return write_back_.next(now); }
  void tick(base::Cycle now) {
    write_back_.take_due(now, [this](unsigned w, const Completion& completion) { commit(w, completion); });
  }
  void reset() {
    write_back_.reset();
    gather_.reset();
  }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(write_back_, gather_);
  }

 private:
  void commit(unsigned w, const Completion& completion);

  Context& core_;
  FrontEnd& front_end_;
  Scoreboard& scoreboard_;
  WriteBack write_back_;
  GatherBuffers gather_;  // of the tensor core
};

SPICA_HOT_INLINE void CommitStage::commit(unsigned w, const Completion& completion) {
  ++core_.stats.commits;
  scoreboard_.commit(w, std::uint64_t{1} << completion.row);
  // In a cycle in which the third register port is used, all warps that would issue must try.
  if (core_.shares_third_port) scoreboard_.wake(w);
  core_.committed_threads += completion.lanes;
  if (core_.watchers.any() && completion.lanes != 0)
    core_.watchers.commit(core_.now(), core_.origin(w, completion.pc), core_.state[w].registers);
  if (completion.unlocks_fetch) front_end_.resolve(1u << w);
}

}  // namespace spica::simt_core
