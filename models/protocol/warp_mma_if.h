// SPDX-License-Identifier: Apache-2.0
// Between a core and the tensor core inside it that works on fragments in registers (wmma32).
#pragma once

#include <cstdint>
#include <systemc>

#include "models/base/types.h"
#include "models/protocol/fragment_access.h"
#include "models/protocol/warp_access.h"

namespace spica::protocol {

static_assert(FragmentAccess::kPieces == kMaxLanes);

enum class FragmentMatrix : std::uint8_t { kA, kB, kC };

/// The meaning of wmma32, without time. Implemented by the tensor core, called by its core.
class FunctionalWarpMmaIf : public virtual sc_core::sc_interface {
 public:
  /// The tensor core has the form (isa::kMmaForms).
  virtual bool has(unsigned form) const = 0;
  /// How a fragment of a form it has lies in memory.
  virtual const FragmentAccess& access(unsigned form, FragmentMatrix matrix, bool column_major) const = 0;
  /// d = c + a * b, fragments of kMaxLanes words per register row. d may be c.
  virtual void multiply(unsigned form, const std::uint32_t* a, const std::uint32_t* b, const std::uint32_t* c,
                        std::uint32_t* d) = 0;
};

/// The same with its time: an operation is issued in steps, one after the other, and those of several warps in turn.
class WarpMmaIf : public FunctionalWarpMmaIf {
 public:
  /// An operation of a warp: fragments by number.
  struct Operation {
    unsigned warp, form;
    unsigned c, d;
  };
  struct Step {
    bool last;
    unsigned rows_read, rows_written;  // of the register file
    unsigned operand_cycles;  // for which it takes the ways from there
    base::Cycle result;  // of the last step: when d is there
    base::Cycle next;  // of others: ready(), after this cycle
    base::Cycle free;  // before it no step of another warp can issue
    base::Cycle operands = 0;  // a and b are read before this cycle; 0: with the step
  };
  /// The next operation of a warp whose last one has issued its last step.
  virtual void begin(const Operation& operation, base::Cycle now) = 0;
  /// The first cycle in which the next step of the warp's operation can issue, as far as is known now.
  virtual base::Cycle ready(unsigned warp) const = 0;
  /// It issues, in cycle ready() or later.
  virtual Step issue(unsigned warp, base::Cycle now) = 0;
};

}  // namespace spica::protocol
