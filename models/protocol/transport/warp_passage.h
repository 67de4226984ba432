// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/protocol/transport/sockets.h"

namespace spica::protocol {

/// A block on the path of warp accesses to their memory (mio, multicast). Debug accesses and requests for pointers,
/// which take no time, are forwarded unchanged.
class WarpPassage : protected RequestHandler, protected ResponseHandler {
 protected:
  ~WarpPassage() override = default;
  /// The output for accesses that came in by that port.
  virtual WarpInitiatorSocket& way(unsigned port) = 0;
  /// True if it may change memory.
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
