// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <tlm>

#include "models/base/types.h"
#include "models/protocol/payload/request_info.h"

namespace spica::protocol {

/// Implemented by blocks with initiator sockets.
class ResponseHandler {
 public:
  virtual ~ResponseHandler() = default;
  /// The request sent through `port` has completed; its response status is set. Called once per request.
  virtual void on_response(unsigned port, Payload& payload) = 0;
  /// The request that the target held on `port` has been accepted; the socket is ready again.
  virtual void on_ready(unsigned port) = 0;
};

/// Implemented by blocks with target sockets.
class RequestHandler {
 public:
  virtual ~RequestHandler() = default;
  /// A new request on `port`. True: accepted (the block has queued it). False: no room; the socket holds the request,
  /// and the block takes it later with TargetPort::take_held().
  virtual bool on_request(unsigned port, Payload& payload) = 0;
  /// Reads 4 bytes at once, with all effects of a read request except its response, which would come `cycles` later.
  /// False: the caller must send a request. Called only if the socket offers words.
  virtual bool read_word(unsigned /*port*/, std::uint64_t /*address*/, std::uint32_t& /*word*/,
                         base::Cycle& /*cycles*/) {
    return false;
  }
  /// Debug access: moves data at once, takes no time, changes no statistics. Returns the bytes moved.
  virtual unsigned on_debug(unsigned port, Payload& payload) = 0;
  /// b_transport in the fast mode: performs all effects at once, sets the response status, and may add an estimated
  /// time to `delay`. A user-supplied block with a clock may leave the status unset: its clock then ticks it until it
  /// answers on_request(). The default does that for such a block, and for others moves data like a debug access.
  virtual void on_blocking(unsigned port, Payload& payload, sc_core::sc_time& delay);
  /// Direct memory access; false if the block has no memory to point to.
  virtual bool on_direct_memory(unsigned /*port*/, Payload& /*payload*/, tlm::tlm_dmi& /*dmi*/) {
    return false;
  }

 private:
  friend class TargetPort;
  bool stepped_ = false;  // its clock can tick it inside of a call
};

}  // namespace spica::protocol
