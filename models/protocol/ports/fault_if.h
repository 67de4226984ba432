// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>

#include "models/protocol/payload/guest_fault.h"

namespace spica::protocol {

/// Implemented by the platform. A report of severity kFault ends the run after the current cycle.
class FaultIf : public virtual sc_core::sc_interface {
 public:
  virtual void report(const GuestFault& fault) = 0;
};

}  // namespace spica::protocol
