// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/protocol/warp_access.h"
#include "models/shared_memory/align_filter.h"

namespace spica::shared_memory {

/// The two networks. Atomics use the read network and both ports of their word bank.
enum Direction : std::uint8_t { kRead, kWrite };

/// Whom to answer.
struct Response {
  protocol::Payload* payload = nullptr;
  unsigned source = 0;
};

/// A request waiting for the banks. The split says what is still to serve; of a wide request
/// `banks` are the word banks its next beat needs at once, `offset` is the first byte of that beat,
/// and it has no lanes. One cache line, because the banks look at all heads in every cycle.
struct alignas(64) Request : LaneSplit {
  protocol::Atomic atomic = protocol::Atomic::kNone;
  Direction direction = kRead;
  std::uint8_t words = 0;       // wide: words of a beat
  std::uint8_t bytes = 0;       // wide: bytes of a beat
  std::uint32_t beats = 1;      // still to serve
  std::uint32_t followers = 0;  // beats after the first one
  base::Cycle ready = 0;        // first cycle in which a bank may serve it
  protocol::Payload* payload = nullptr;
  protocol::WarpAccess* access = nullptr;

  bool done() const { return banks == 0 && unaligned == 0; }
  /// Wide: bytes in front of the next beat.
  unsigned skipped() const { return offset - static_cast<std::uint32_t>(payload->get_address()); }
};
static_assert(sizeof(Request) == 64);

}  // namespace spica::shared_memory
