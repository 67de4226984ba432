// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>
#include <cstdint>
#include <new>
#include <vector>

#include "models/protocol/warp_access.h"
#include "models/shared_memory/align_filter.h"

namespace spica::shared_memory {

/// The two networks. Atomics use the read network and both ports of their word bank.
enum Direction : std::uint8_t { kRead, kWrite };

/// Whom to answer.
struct Response {
  protocol::Payload* payload = nullptr;
  std::uint64_t source = 0;
};

/// A request in front of the banks. The split tells what is still to serve; of a wide request
/// `banks` are the word banks its next beat needs at once, `offset` is the first byte of that beat,
/// and it has no lanes.
struct Request : Response, LaneSplit {
  protocol::WarpAccess* access = nullptr;
  base::Cycle ready = 0;    // first cycle in which a bank may serve it
  WordBanks reach = 0;      // wide: no beat needs a word bank outside these
  std::uint32_t begin = 0;  // wide: its first byte
  std::uint16_t words = 0;  // wide: words of a beat
  std::uint16_t bytes = 0;  // wide: bytes of a beat
  std::uint32_t beats = 1;  // still to serve
  std::uint32_t followers = 0;  // beats behind the first one
  Direction direction = kRead;
  protocol::Atomic atomic = protocol::Atomic::kNone;

  bool done() const { return banks == 0 && unaligned == 0; }
};

/// First-in first-out queue of requests that are built in their slot: copying one just written
/// costs more than serving it.
class RequestQueue {
 public:
  explicit RequestQueue(std::size_t capacity) : slots_(capacity), capacity_(capacity) {}

  bool empty() const { return size_ == 0; }
  bool full() const { return size_ == capacity_; }
  std::size_t size() const { return size_; }

  /// A fresh request at the end.
  Request& append() {
    assert(!full());
    return *new (&slots_[index(size_++)]) Request;
  }
  Request& front() { return slots_[head_]; }
  const Request& front() const { return slots_[head_]; }
  void drop() {
    assert(!empty());
    head_ = index(1);
    --size_;
  }
  /// The i-th request from the front.
  const Request& operator[](std::size_t i) const { return slots_[index(i)]; }
  void clear() { head_ = size_ = 0; }

 private:
  std::size_t index(std::size_t i) const {
    const std::size_t sum = head_ + i;
    return sum < capacity_ ? sum : sum - capacity_;
  }

  std::vector<Request> slots_;
  std::size_t capacity_;
  std::size_t head_ = 0, size_ = 0;
};

}  // namespace spica::shared_memory
