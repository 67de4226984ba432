// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>

#include "models/base/types.h"

namespace spica::protocol {

/// A second source of instructions for the floating-point lanes of a core. The core asks it before it issues one of its
/// own.
class LaneStreamIf : public virtual sc_core::sc_interface {
 public:
  /// True if an instruction of the core can use the lanes for `cycles` cycles from `now` on.
  virtual bool fits(base::Cycle now, base::Cycle cycles) const = 0;
  /// The core issues that instruction.
  virtual void use(base::Cycle now, base::Cycle cycles) = 0;
};

}  // namespace spica::protocol
