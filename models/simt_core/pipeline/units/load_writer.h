// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "models/base/hot_inline.h"
#include "models/simt_core/pipeline/units/operation_slots.h"
#include "models/simt_core/warp/core_state.h"
#include "models/simt_core/warp/fragments.h"

namespace spica::simt_core {

/// Writes load results into registers and fragments.
class LoadWriter {
 public:
  LoadWriter(CoreState& state, const OperationSlots& slots, unsigned lanes)
      : state_(state), slots_(slots), lanes_(lanes), all_lanes_(~std::uint32_t{0} >> (32 - lanes)) {}

  /// Marks the instruction in `slot` as a phase of a load or store of a fragment.
  void set_phase(unsigned slot, const FragmentMove& move, unsigned phase) {
    if (phases_.size() <= slot) phases_.resize(slot + 1);
    phases_[slot] = {move, phase};
  }
  /// The fragment of such a slot.
  unsigned fragment(unsigned slot) const { return phases_[slot].move.fragment; }
  /// Writes lanes of a load or atomic, which is in `slot`; `last`: no others follow.
  SPICA_HOT_INLINE void write(unsigned slot, const MemoryOperation& operation,
                              const protocol::WarpAccess& access, bool last) {
    constexpr unsigned kOther =
        MemoryOperation::kFragment | MemoryOperation::kBytewise | MemoryOperation::kMerged;
    const isa::Instruction& instruction = *operation.instruction;
    if (__builtin_expect((operation.special & kOther) == 0 && instruction.access_bytes == 4 &&
                             access.mask == all_lanes_ && instruction.rd != isa::kNoRegister,
                         1))
      write_row(state_[operation.warp].registers.row(instruction.rd), access);
    else write_lanes(slot, operation, access, last);
  }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(phases_);
  }

 private:
  struct Phase {
    FragmentMove move;
    unsigned phase = 0;
  };
  /// Writes one word per lane.
  SPICA_HOT_INLINE void write_row(std::uint32_t* row, const protocol::WarpAccess& access) const {
    if (all_lanes_ == 0xFF) std::memcpy(row, access.data.data(), 32);  // a constant size avoids the call
    else std::memcpy(row, access.data.data(), lanes_ * sizeof *row);
  }
  void write_lanes(unsigned slot, const MemoryOperation& operation, const protocol::WarpAccess& access,
                   bool last);
  void write_byte(unsigned slot, const MemoryOperation& operation, const protocol::WarpAccess& access,
                  bool last);
  void write_fragment(unsigned warp, const Phase& part, const protocol::WarpAccess& access);

  CoreState& state_;
  const OperationSlots& slots_;
  const unsigned lanes_;
  const std::uint32_t all_lanes_;
  std::vector<Phase> phases_;  // by slot
};

}  // namespace spica::simt_core
