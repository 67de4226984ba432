// SPDX-License-Identifier: Apache-2.0
// Asynchronous copies: what is answered by global memory goes on to shared memory.
#include <algorithm>

#include "models/simt_core/pipeline/units/memory_queue.h"

namespace spica::simt_core {

/// What asynchronous copies have read goes to shared memory before the head of the queue. True: that is all in this cycle.
bool MemoryQueue::tick_copies(base::Cycle now) {
  const auto head = [&] { return queue_.empty() ? base::kNever : queue_.front().ready; };
  if (ports_.ready(kShared) && !ports_.taken(kShared) && in_flight_[kShared] < params_.source_ids) {
    ++in_flight_[kShared];
    ++async_.in_flight();
    ports_.send(kShared, async_.next_store());
    due_ = async_.has_stores() ? now + 1 : std::max(head(), now + 1);
    return true;
  }
  if (head() <= now) return false;
  due_ = ports_.taken(kShared) ? now + 1 : head();
  return true;
}

/// A request of an asynchronous copy has been answered: what it has read is to be stored, or is.
void MemoryQueue::on_copied(protocol::WarpPayload& request) {
  const unsigned slot = MemoryPorts::number_in_queue(request.info.tag);
  --async_.in_flight();
  if (request.is_read()) {
    async_.turn(slot, part_of(slot, request.access), request);
    return tick_at_once();
  }
  pool_.drop(request);
  if (!part_done(slot)) return;
  free_slots_.push_back(slot);  // it was none of the warp's pending accesses
  if (async_.landed(slot)) client_.on_copies_landed(slots_[slot].operation.warp);
}

}  // namespace spica::simt_core
