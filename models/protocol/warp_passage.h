// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/protocol/sockets.h"

namespace spica::protocol {

/// A block on the way of warp accesses to their memory (mio, multicast). What takes no time, debugging and the question
/// for pointers, goes straight on.
class WarpPassage : protected RequestHandler, protected ResponseHandler {
 protected:
  ~WarpPassage() override = default;
  /// The outlet for accesses of that port (of those that come).
  virtual WarpInitiatorSocket& way(unsigned port) = 0;
  /// It changes memory, perhaps.
  static bool stores(const WarpPayload& payload) {
    return !payload.is_read() || payload.info.atomic != Atomic::kNone;
  }

 private:
  unsigned on_debug(unsigned port, Payload& payload) final { return way(port)->transport_dbg(payload); }
  bool on_direct_memory(unsigned port, Payload& payload, tlm::tlm_dmi& dmi) final {
    return way(port)->get_direct_mem_ptr(payload, dmi);
  }
};

}  // namespace spica::protocol
