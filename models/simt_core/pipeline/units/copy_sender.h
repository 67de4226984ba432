// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/simt_core/pipeline/units/async_copies.h"
#include "models/simt_core/pipeline/units/memory_outlet.h"
#include "models/simt_core/pipeline/units/operation_slots.h"

namespace spica::simt_core {

/// The second half of asynchronous copies: data from global memory is stored to shared memory, before the head of the
/// memory queue.
class CopySender {
 public:
  CopySender(unsigned lanes, OperationSlots& slots, MemoryOutlet& outlet)
      : copies_(static_cast<unsigned>(slots.size()), lanes), slots_(slots), outlet_(outlet) {}

  AsyncCopies& copies() { return copies_; }
  bool has_stores() const { return copies_.has_stores(); }
  /// Sends one store, if shared memory accepts it in this cycle.
  bool send() {
    if (!outlet_.takes_background(MemoryOutlet::kShared) || outlet_.ports().taken(MemoryOutlet::kShared))
      return false;
    outlet_.send_background(MemoryOutlet::kShared, copies_.next_store());
    return true;
  }
  /// The consequence of an answer.
  enum class Answer : std::uint8_t {
    kStore,  // there is something to send
    kLanded,  // the warp of the slot, which waits for it, continues
    kNothing
  };
  Answer answered(unsigned slot, protocol::WarpPayload& request) {
    outlet_.background_answered();
    if (request.is_read()) {
      copies_.turn(slot, slots_.part_of(slot, request.access), request);
      return Answer::kStore;
    }
    slots_.drop(request);
    return slots_.copy_done(slot) && copies_.landed(slot) ? Answer::kLanded : Answer::kNothing;
  }
  void reset() { copies_.reset(); }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(copies_);
  }

 private:
  AsyncCopies copies_;
  OperationSlots& slots_;
  MemoryOutlet& outlet_;
};

}  // namespace spica::simt_core
