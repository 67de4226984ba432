// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <new>

#include "models/base/invariant.h"
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
};
static_assert(sizeof(Request) == 64);

/// First-in first-out queue of requests that are built in their slot: copying one just written
/// costs more than serving it.
class RequestQueue {
 public:
  explicit RequestQueue(std::uint64_t capacity)
      : slots_(std::make_unique<Request[]>(capacity)), capacity_(static_cast<std::uint16_t>(capacity)) {}

  bool empty() const { return size_ == 0; }
  bool full() const { return size_ == capacity_; }
  std::size_t size() const { return size_; }

  /// A fresh request at the end.
  Request& append() {
    SPICA_INVARIANT(!full());
    return *new (&slots_[index(size_++)]) Request;
  }
  Request& front() { return slots_[head_]; }
  const Request& front() const { return slots_[head_]; }
  void drop() {
    SPICA_INVARIANT(!empty());
    head_ = index(1);
    --size_;
  }
  /// The i-th request from the front.
  const Request& operator[](std::size_t i) const { return slots_[index(i)]; }
  void clear() { head_ = size_ = 0; }

 private:
  std::uint16_t index(std::size_t i) const {
    const std::size_t sum = head_ + i;
    return static_cast<std::uint16_t>(sum < capacity_ ? sum : sum - capacity_);
  }

  std::unique_ptr<Request[]> slots_;
  std::uint16_t capacity_;
  std::uint16_t head_ = 0, size_ = 0;
};

}  // namespace spica::shared_memory
