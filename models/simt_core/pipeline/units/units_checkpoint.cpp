// SPDX-License-Identifier: Apache-2.0
#include "models/base/checkpoint.h"
#include "models/simt_core/pipeline/units/buffered_unit.h"
#include "models/simt_core/pipeline/units/load_store_unit.h"
#include "models/simt_core/pipeline/units/special_unit.h"

namespace spica::simt_core {

void ExecutionUnit::timing(base::Checkpoint& checkpoint) { checkpoint(due_); }

void BufferedUnit::add_to(base::Checkpoint& checkpoint) {
  checkpoint.objects().add(static_cast<LineEnd*>(this));
}

/// Nothing is alone_ between two cycles.
void BufferedUnit::timing(base::Checkpoint& checkpoint) {
  ExecutionUnit::timing(checkpoint);
  checkpoint(operands_, buffers_);
}

void SpecialUnit::timing(base::Checkpoint& checkpoint) {
  BufferedUnit::timing(checkpoint);
  checkpoint(looks_at_, since_);
}

void LoadStoreUnit::add_to(base::Checkpoint& checkpoint) {
  BufferedUnit::add_to(checkpoint);
  slots_.add_to(checkpoint);
  queue_.add_to(checkpoint);
}

void LoadStoreUnit::timing(base::Checkpoint& checkpoint) {
  BufferedUnit::timing(checkpoint);
  checkpoint(slots_, queue_, stale_, writer_, load_cycles_);
}

void MemoryPorts::add_to(base::Checkpoint& checkpoint) { checkpoint.objects().add(&wires()); }

void MemoryPorts::timing(base::Checkpoint& checkpoint) {
  checkpoint(static_cast<protocol::LaneWires&>(*this), last_);
}

}  // namespace spica::simt_core
