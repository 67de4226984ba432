// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <vector>

#include "models/simt_core/pipeline/units/execution_unit.h"
#include "models/simt_core/pipeline/units/load_store_unit.h"
#include "models/simt_core/pipeline/units/memory_ports.h"
#include "models/simt_core/pipeline/units/tensor_unit.h"

namespace spica::base {
class Checkpoint;
}

namespace spica::simt_core {

/// The execution units of a core, as listed in `units`, and the assignment of instructions: warp w uses unit w modulo
/// their number of its kind, so that the instructions of a warp stay in order.
///
/// Source   vortex core/VX_dispatch.sv, core/VX_execute.sv
class Dispatcher {
 public:
  Dispatcher(const Stages& stages, protocol::InitiatorPort& gmem, protocol::InitiatorPort& smem,
             protocol::InitiatorPort& mmio, const TensorUnitMaker& tensor);

  // -- issue
  bool offer(const Candidate& candidate) {
    return unit_of_[static_cast<std::size_t>(candidate.instruction.kind)][candidate.warp]->offer(candidate);
  }
  void end_of_issue() {
    for (; agenda_.asked != 0; agenda_.asked &= agenda_.asked - 1)
      units_[static_cast<unsigned>(__builtin_ctz(agenda_.asked))]->end_of_issue();
  }

  /// Shows an instruction of warp 0 to its load/store unit.
  void show(const Decoded& instruction, base::Cycle now) { load_store_.front()->show(instruction, now); }

  // -- execution
  /// The first cycle in which a unit must act.
  base::Cycle due() const { return agenda_.first; }
  void tick(base::Cycle now) {
    if (agenda_.first <= now || agenda_.watching != 0) run(now);
  }
  /// True if nothing is in flight in the core's own units.
  bool at_rest() const;
  /// True if nothing is in flight in the tensor core either.
  bool done() const { return tensor_->done() && at_rest(); }
  bool fence_at_head() const {
    for (const LoadStoreUnit* unit : load_store_)
      if (unit->fence_at_head()) return true;
    return false;
  }
  std::uint64_t load_cycles() const;

  void reset();
  void dump_state(std::ostream& out) const;
  /// Payloads, wires, and the ends of the operand lines.
  void add_to(base::Checkpoint& checkpoint);
  void timing(base::Checkpoint& checkpoint);

  // -- towards the tensor core
  /// Issues the next part of a tensor instruction in progress. True: it was the last one.
  bool resume(unsigned w, base::Cycle now) { return tensor_->resume(w, now); }
  TensorUnit& tensor() { return *tensor_; }
  const TensorUnit& tensor() const { return *tensor_; }

 private:
  void add(UnitKind kind, const Stages& stages, unsigned i);
  void run(base::Cycle now);
  void run(ExecutionUnit& unit, base::Cycle now) {
    if (unit.due() <= now) unit.tick(now);
    else agenda_.first = std::min(agenda_.first, unit.due());
  }

  Agenda agenda_;
  std::vector<std::unique_ptr<ExecutionUnit>>
      units_;  // by number; load/store units first, the tensor unit last
  std::array<std::array<ExecutionUnit*, 32>, kUnitKinds> unit_of_{};  // by kind and warp
  std::vector<LoadStoreUnit*> load_store_;
  MemoryPorts ports_;
  TensorUnit* tensor_;
};

}  // namespace spica::simt_core
