// SPDX-License-Identifier: Apache-2.0
// Interface between a core and its tensor core that works on fragments in registers (wmma32).
#pragma once

#include <cstdint>
#include <systemc>

#include "models/base/types.h"
#include "models/protocol/payload/fragment_access.h"
#include "models/protocol/payload/warp_access.h"

namespace spica::protocol {

static_assert(FragmentAccess::kPieces == kMaxLanes);

enum class FragmentMatrix : std::uint8_t { kA, kB, kC };

/// The function of wmma32, without timing. Implemented by the tensor core, called by its core.
class FunctionalWarpMmaIf : public virtual sc_core::sc_interface {
 public:
  /// True if the tensor core supports the form (isa::kMmaForms). An integer form of numerics without integers only moves
  /// fragments, those of floating-point numbers as wide.
  virtual bool has(unsigned form) const = 0;
  virtual bool multiplies(unsigned form) const = 0;
  /// The memory layout of a fragment of a supported form.
  virtual const FragmentAccess& access(unsigned form, FragmentMatrix matrix, bool column_major) const = 0;
  /// d = c + a * b, fragments of kMaxLanes words per register row. d may be c.
  virtual void multiply(unsigned form, const std::uint32_t* a, const std::uint32_t* b, const std::uint32_t* c,
                        std::uint32_t* d) = 0;
};

/// The same with timing: an operation is issued in steps, one after the other; the steps of several warps alternate.
class WarpMmaIf : public FunctionalWarpMmaIf {
 public:
  /// An operation of a warp; fragments are named by number.
  struct Operation {
    unsigned warp, form;
    unsigned c, d;
  };
  struct Step {
    bool last;
    unsigned rows_read, rows_written;  // rows of the register file
    unsigned operand_cycles;  // cycles for which it occupies the operand paths
    base::Cycle result;  // last step: the cycle in which d is available
    base::Cycle next;  // other steps: the next ready() is after this cycle
    base::Cycle free;  // no step of another warp can issue before it
    base::Cycle operands = 0;  // a and b are read before this cycle; 0: with the step
  };
  /// Begins the next operation of a warp. All steps of its last operation must have issued.
  virtual void begin(const Operation& operation, base::Cycle now) = 0;
  /// The first cycle in which the next step of the warp's operation can issue, as known now.
  virtual base::Cycle ready(unsigned warp) const = 0;
  /// Issues that step, in cycle ready() or later.
  virtual Step issue(unsigned warp, base::Cycle now) = 0;
};

}  // namespace spica::protocol
