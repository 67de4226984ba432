// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <tlm>

#include "models/protocol/payload/request_info.h"
#include "models/protocol/payload/reservations.h"
#include "models/protocol/transport/direct_memory.h"

namespace spica::cache {

/// State of the whole machine: all caches that move data share one object, so that a store through any of them ends the
/// reservations of all others. See Cache::share_reservations().
using protocol::Reservations;

/// Moves the data of requests that take effect in a cache, directly to or from global memory.
class DataPath {
 public:
  explicit DataPath(tlm::tlm_initiator_socket<>& memory) : memory_(memory) {}

  void share(Reservations& reservations) { reservations_ = &reservations; }
  void clear() { reservations_->clear(); }
  /// Performs any request except a plain read and sets its response status: an address error if memory does not contain
  /// all of its bytes. Writes obey the byte enables. `info` is that of the payload.
  void perform(protocol::Payload& payload, const protocol::RequestInfo& info) {
    // The data of timing_only requests was moved where they took effect.
    answer(payload, info.timing_only || change(payload, info));
  }
  /// The same for a plain read.
  void copy(protocol::Payload& payload) { answer(payload, read(payload)); }
  /// False: there is no memory at the address, and `word` is undefined.
  bool read_word(std::uint64_t address, std::uint32_t& word) {
    unsigned char bytes[sizeof word];
    const bool moved = memory_.read(address, bytes, sizeof word);
    std::memcpy(&word, bytes, sizeof word);
    return moved;
  }

  /// Not saved: memory_, which finds its bytes again.
  template <class Archive>
  void serialize(Archive& archive) {
    archive(own_);
  }

 private:
  static void answer(protocol::Payload& payload, bool moved) {
    payload.set_response_status(moved ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE);
  }
  /// The usual sizes, an instruction and the line of a first-level cache, are copied without a call.
  bool read(protocol::Payload& payload) {
    const std::uint64_t address = payload.get_address();
    unsigned char* data = payload.get_data_ptr();
    switch (const unsigned bytes = payload.get_data_length()) {
      case 4: return memory_.read(address, data, 4);
      case 32: return memory_.read(address, data, 32);
      default: return memory_.read(address, data, bytes);
    }
  }
  bool change(protocol::Payload& payload, const protocol::RequestInfo& info);
  bool write(const protocol::Payload& payload);
  bool atomic(protocol::Payload& payload, const protocol::RequestInfo& info);

  protocol::DirectMemory memory_;
  Reservations own_;
  Reservations* reservations_ = &own_;
};

}  // namespace spica::cache
