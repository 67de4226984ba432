// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/protocol/payload/payload_pool.h"
#include "models/shared_memory/align_filter.h"

namespace spica::shared_memory {

/// The two networks. Atomics use the read network, and both ports of their word bank.
enum Direction : std::uint8_t { kRead, kWrite };

/// The requester to answer.
struct Response {
  protocol::Payload* payload = nullptr;
  unsigned source = 0;
  std::uint32_t lanes = 0;  // cores with independent lanes: lanes served together; 0: the whole request
};

/// A request waiting for the banks. The split lists what is still to serve. For a wide request, `banks` are the word
/// banks of its next beat, `offset` is the first byte of that beat, and there are no lanes. One cache line, because all
/// heads are examined in every cycle.
template <class WordBanks>
struct alignas(64) BasicRequest : BasicLaneSplit<WordBanks> {
  protocol::Atomic atomic = protocol::Atomic::kNone;
  Direction direction = kRead;
  std::uint8_t words = 0;  // wide: words of a beat
  union {
    std::uint8_t bytes = 0;  // wide: bytes of a beat
    bool independent;  // core: it has independent lanes
  };
  std::uint32_t beats = 1;  // beats still to serve
  union {
    std::uint32_t followers = 0;  // wide: beats after the first
    std::uint32_t served;  // core: lanes served in this cycle
  };
  std::uint32_t open = 0;  // core, after other requests: lanes that have overtaken those
  base::Cycle ready = 0;  // first cycle in which a bank may serve it
  protocol::Payload* payload = nullptr;
  protocol::WarpAccess* access = nullptr;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(this->banks, this->aligned, this->unaligned, this->offset, this->degree, this->in_range,
            this->contiguous, atomic, direction, words, bytes, beats, followers, open, ready, payload);
    access = payload != nullptr ? protocol::access_of(*payload) : nullptr;
  }

  /// Lanes not served yet.
  std::uint32_t left() const { return this->aligned | this->unaligned; }
  bool done() const { return this->banks == 0 && this->unaligned == 0; }
  /// Wide: bytes before the next beat.
  unsigned skipped() const { return this->offset - static_cast<std::uint32_t>(payload->get_address()); }
};
using Request = BasicRequest<WordBanks>;
static_assert(sizeof(Request) == 64);

}  // namespace spica::shared_memory
