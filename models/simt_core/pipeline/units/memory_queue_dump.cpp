// SPDX-License-Identifier: Apache-2.0
// What a load/store unit has under way, for people.
#include <fmt/ostream.h>

#include <ostream>

#include "models/simt_core/pipeline/units/memory_queue.h"

namespace spica::simt_core {

void MemoryQueue::dump_state(std::ostream& out) const {
  fmt::print(out, "  load/store unit: {} queued, in flight: {} global, {} shared, {} peripheral\n",
             queue_.size(), in_flight_[kGlobal], in_flight_[kShared], in_flight_[kPeripheral]);
  for (const LaneBuffers::Entry& entry : apart_.entries()) {
    const Operation& operation = slots_[entry.slot].operation;
    fmt::print(out, "    warp {} pc {:#010x}: lanes {:#04x} wait for other lanes of theirs\n", operation.warp,
               operation.pc, entry.lanes);
  }
  for (std::size_t i = 0; i < queue_.size(); ++i) {
    const Item& item = queue_[i];
    if (item.slot == kNoSlot) {
      fmt::print(out, "    store of a fence\n");
      continue;
    }
    const Operation& operation = slots_[item.slot].operation;
    if (item.payload == nullptr)
      fmt::print(out, "    warp {} pc {:#010x}: fence\n", operation.warp, operation.pc);
    else
      fmt::print(out, "    warp {} pc {:#010x}: {} {:#010x} lanes {:#04x}\n", operation.warp, operation.pc,
                 item.payload->is_read() ? "load" : "store", item.payload->get_address(),
                 item.payload->access.mask);
  }
}

}  // namespace spica::simt_core
