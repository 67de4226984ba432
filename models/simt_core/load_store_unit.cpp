// SPDX-License-Identifier: Apache-2.0
#include "models/simt_core/load_store_unit.h"

#include <fmt/ostream.h>

#include <algorithm>
#include <ostream>

namespace spica::simt_core {

LoadStoreUnit::LoadStoreUnit(const LoadStoreParams& params, unsigned warps, Client& client,
                             protocol::InitiatorSocket& gmem, protocol::InitiatorSocket& smem,
                             protocol::InitiatorSocket& mmio)
    : queue_(params.queue_depth + kMaxParts),
      slots_(params.queue_depth + 2 * params.source_ids + 4 * warps),
      sockets_{&gmem, &smem, &mmio},
      client_(client),
      params_(params) {
  gmem.attach(*this, kGlobal);
  smem.attach(*this, kShared);
  mmio.attach(*this, kPeripheral);
  reset();
}

void LoadStoreUnit::reset() {
  queue_.clear();
  due_ = base::kNever;
  free_slots_.clear();
  for (std::size_t slot = slots_.size(); slot-- > 0;) free_slots_.push_back(static_cast<unsigned>(slot));
  in_use_ = 0;
  awaited_ = 0;
  under_way_.fill(0);
  for (unsigned& count : in_flight_) count = 0;
  held_store_[kGlobal] = held_store_[kShared] = kNoSlot;
  peripheral_ = {};
  lanes_to_send_ = lanes_to_answer_ = 0;
}

protocol::WarpPayload& LoadStoreUnit::add_part(unsigned slot, protocol::Route route) {
  Slot& entry = slots_[slot];
  const unsigned part = entry.operation.parts++;
  entry.operation.ports[part] = route == protocol::Route::kGlobal   ? kGlobal
                                : route == protocol::Route::kShared ? kShared
                                                                    : kPeripheral;
  protocol::WarpPayload& payload = pool_.take();
  entry.parts[part] = &payload;
  payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  payload.info.tag = slot;
  return payload;
}

unsigned LoadStoreUnit::part_of(unsigned slot, const protocol::WarpAccess& access) const {
  unsigned part = 0;
  while (&slots_[slot].parts[part]->access != &access) ++part;
  return part;
}

void LoadStoreUnit::enqueue(unsigned slot, base::Cycle now) {
  const Slot& entry = slots_[slot];
  const base::Cycle ready = now + params_.request_latency;
  if (entry.operation.parts == 0 || entry.operation.special != 0) {
    enqueue_with_fences(slot, ready);
    return;
  }
  for (unsigned i = 0; i < entry.operation.parts; ++i)
    push({entry.parts[i], ready, slot, entry.operation.ports[i]});
}

/// A fence alone, or the requests of an atomic between fences.
void LoadStoreUnit::enqueue_with_fences(unsigned slot, base::Cycle ready) {
  Operation& operation = slots_[slot].operation;
  const Item fence{nullptr, ready, slot, kGlobal};
  const unsigned requests = operation.parts;
  if (requests == 0 || (operation.special & kRelease) != 0) {
    ++operation.parts;
    push(fence);
  }
  for (unsigned i = 0; i < requests; ++i) push({slots_[slot].parts[i], ready, slot, operation.ports[i]});
  if ((operation.special & kAcquire) != 0) {
    ++operation.parts;
    push(fence);
  }
}

/// The neighbours let it proceed: a free request id and socket, for a fence that everything before it is done,
/// for a peripheral access that the socket takes the next lane or all lanes have answered.
bool LoadStoreUnit::can_go(const Item& item) const {
  if (item.payload == nullptr) return outstanding() == 0;
  if (item.port == kPeripheral && lanes_to_send_ == 0) return lanes_to_answer_ == 0;
  return sockets_[item.port]->ready() &&
         (item.port == kPeripheral || in_flight_[item.port] != params_.source_ids);
}

void LoadStoreUnit::tick(base::Cycle now) {
  const Item& item = queue_.front();
  bool leaves = true;
  if (!can_go(item)) {
    due_ = base::kNever;  // until try_again()
    return;
  }
  if (item.payload == nullptr) part_done(item.slot);  // fence
  else if (item.port == kPeripheral) leaves = send_next_lane(item);
  else send(item);
  if (leaves) queue_.drop();
  due_ = queue_.empty() ? base::kNever : std::max(queue_.front().ready, now + 1);
}

/// A neighbour has answered or taken a request.
void LoadStoreUnit::try_again() {
  if (due_ != base::kNever || queue_.empty() || !can_go(queue_.front())) return;
  due_ = 0;
  client_.on_memory_event();
}

void LoadStoreUnit::send(const Item& item) {
  protocol::InitiatorSocket& socket = *sockets_[item.port];
  ++in_flight_[item.port];
  const bool store = item.payload->is_write();
  const unsigned slot = item.slot;
  const Port port = item.port;
  if (store) ++under_way_[slots_[slot].operation.warp];  // before send(): the response may come at once
  socket.send(*item.payload);
  if (!store) return;
  if (socket.ready()) part_done(slot);
  else held_store_[port] = slot;
}

/// Sends one lane of a peripheral access. True when the whole access has been answered; until then it
/// stays at the head of the queue, so peripheral accesses of a core never overlap or overtake.
bool LoadStoreUnit::send_next_lane(const Item& item) {
  if (peripheral_.payload == nullptr) {
    peripheral_ = item;
    lanes_to_send_ = lanes_to_answer_ = item.payload->access.mask;
  }
  if (lanes_to_send_ != 0 && sockets_[kPeripheral]->ready()) {
    const unsigned lane = static_cast<unsigned>(__builtin_ctz(lanes_to_send_));
    lanes_to_send_ &= lanes_to_send_ - 1;
    const protocol::WarpAccess& access = item.payload->access;
    protocol::LinePayload& request = line_pool_.take();
    protocol::Origin origin = item.payload->info.origin;
    origin.lanes = 1u << lane;
    request.setup(item.payload->get_command(), access.address[lane], access.bytes, origin);
    request.info.tag = lane;
    request.info.atomic = item.payload->info.atomic;
    std::memcpy(request.data.data(), &access.data[lane], sizeof access.data[lane]);
    ++in_flight_[kPeripheral];
    sockets_[kPeripheral]->send(request);
  }
  if (lanes_to_answer_ != 0) return false;
  protocol::WarpPayload& payload = *item.payload;
  const unsigned slot = item.slot;
  if (payload.is_read()) client_.on_load_data(slot, payload.access);
  pool_.drop(payload);
  peripheral_ = {};
  part_done(slot);
  return true;
}

void LoadStoreUnit::on_lane_response(protocol::Payload& payload) {
  auto& request = static_cast<protocol::LinePayload&>(payload);
  const unsigned lane = static_cast<unsigned>(request.info.tag);
  if (request.is_read()) {
    std::uint32_t value = 0;
    std::memcpy(&value, request.data.data(), request.get_data_length());
    peripheral_.payload->access.data[lane] = value;
  }
  lanes_to_answer_ &= ~(1u << lane);
  line_pool_.drop(request);
}

void LoadStoreUnit::on_response(unsigned port, protocol::Payload& payload) {
  --in_flight_[port];
  if (payload.is_response_error()) client_.on_access_error(payload);
  if (port == kPeripheral) {
    on_lane_response(payload);
  } else {
    auto& request = static_cast<protocol::WarpPayload&>(payload);
    if (request.is_read()) {
      const auto slot = static_cast<unsigned>(request.info.tag);
      client_.on_load_data(slot, request.access);
      part_done(slot);
    } else {
      access_done(request.info.origin.warp);
    }
    pool_.drop(request);
  }
  try_again();
}

void LoadStoreUnit::on_ready(unsigned port) {
  if (port != kPeripheral && held_store_[port] != kNoSlot) {
    const unsigned slot = held_store_[port];
    held_store_[port] = kNoSlot;
    part_done(slot);
  }
  try_again();
}

void LoadStoreUnit::part_done(unsigned slot) {
  if (--slots_[slot].operation.parts != 0) return;
  client_.on_memory_done(slot);
  const unsigned warp = slots_[slot].operation.warp;
  free_slots_.push_back(slot);
  --in_use_;
  access_done(warp);
}

/// One of the accesses counted in under_way_ is done.
void LoadStoreUnit::access_done(unsigned warp) {
  if (--under_way_[warp] != 0 || (awaited_ >> warp & 1) == 0) return;
  awaited_ &= ~(1u << warp);
  client_.on_memory_quiet(warp);
}

void LoadStoreUnit::dump_state(std::ostream& out) const {
  fmt::print(out, "  load/store unit: {} queued, in flight: {} global, {} shared, {} peripheral\n",
             queue_.size(), in_flight_[kGlobal], in_flight_[kShared], in_flight_[kPeripheral]);
  for (std::size_t i = 0; i < queue_.size(); ++i) {
    const Item& item = queue_[i];
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
