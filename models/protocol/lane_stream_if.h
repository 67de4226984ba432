// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <systemc>

#include "models/base/types.h"

namespace spica::protocol {

/// The floating-point lanes of a core, for a second source of instructions next to the core. Implemented by the core.
class LaneStreamIf : public virtual sc_core::sc_interface {
 public:
  /// No instruction of either source is in the lanes, or on its way there.
  virtual bool lanes_free(base::Cycle now) const = 0;
  /// From cycle `begin` on, `count` instructions of all lanes, one every `interval` cycles. The core's own ones go in between
  /// where there is room, else they wait.
  virtual void stream(base::Cycle begin, unsigned count, unsigned interval) = 0;

  /// What the core itself has done with the lanes.
  struct Use {
    std::uint64_t cycles = 0;  // with an instruction in them, and no stream under way
    base::Cycle first = 0, last = 0;  // of these
  };
  virtual Use own_use() const = 0;
};

}  // namespace spica::protocol
