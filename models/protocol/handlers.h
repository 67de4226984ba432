// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <tlm>

#include "models/base/types.h"
#include "models/protocol/request_info.h"

namespace spica::protocol {

/// What a block with initiator sockets implements.
class ResponseHandler {
 public:
  virtual ~ResponseHandler() = default;
  /// The request sent through `port` is done; its response status is set. Called once per request.
  virtual void on_response(unsigned port, Payload& payload) = 0;
  /// The request that the target held on `port` is accepted now; the socket is ready again.
  virtual void on_ready(unsigned port) = 0;
};

/// What a block with target sockets implements.
class RequestHandler {
 public:
  virtual ~RequestHandler() = default;
  /// A new request on `port`. True: accepted (the block has put it into a queue). False: no room; the
  /// socket holds it, and the block takes it later with TargetPort::take_held().
  virtual bool on_request(unsigned port, Payload& payload) = 0;
  /// Reads 4 bytes at once, where nothing can delay it, with all effects of a read request but its response, which
  /// would come `cycles` later. False: it takes a request. Asked where the socket offers words.
  virtual bool read_word(unsigned /*port*/, std::uint64_t /*address*/, std::uint32_t& /*word*/,
                         base::Cycle& /*cycles*/) {
    return false;
  }
  /// Debug access: moves data at once, takes no time, changes no statistics. Returns the bytes moved.
  virtual unsigned on_debug(unsigned port, Payload& payload) = 0;
  /// b_transport where the block has no clock, in the fast mode: all effects at once, its response status, and perhaps
  /// an estimated time, added to `delay`. Where it is not overridden it moves data like a debug access.
  virtual void on_blocking(unsigned port, Payload& payload, sc_core::sc_time& delay);
  /// Direct memory access; false when the block has no memory to point at.
  virtual bool on_direct_memory(unsigned /*port*/, Payload& /*payload*/, tlm::tlm_dmi& /*dmi*/) {
    return false;
  }
};

}  // namespace spica::protocol
