// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>

#include "models/base/types.h"

namespace spica::protocol {

/// A second source of instructions for the floating-point lanes of a core, which asks it before one of its own issues.
class LaneStreamIf : public virtual sc_core::sc_interface {
 public:
  /// An instruction of the core can have the lanes for `cycles` cycles from `now` on.
  virtual bool fits(base::Cycle now, base::Cycle cycles) const = 0;
  /// It issues.
  virtual void use(base::Cycle now, base::Cycle cycles) = 0;
};

}  // namespace spica::protocol
