// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <systemc>

#include "models/protocol/payload/request_info.h"

namespace spica::protocol {

/// Receives characters that a guest stores to the print buffer or writes with putchar. Implemented by the platform.
class ConsoleIf : public virtual sc_core::sc_interface {
 public:
  /// `count` characters that lane `lane` of the warp in `origin` has stored, in address order.
  virtual void put(const Origin& origin, unsigned lane, const char* characters, unsigned count) = 0;
};

}  // namespace spica::protocol
