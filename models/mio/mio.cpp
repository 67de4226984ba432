// SPDX-License-Identifier: Apache-2.0
#include "models/mio/mio.h"

#include <algorithm>
#include <ostream>

#include "models/base/checkpoint.h"
#include "models/mio/passes.h"

namespace spica::mio {

using base::Cycle;
using protocol::Payload;
using protocol::WarpPayload;

Mio::Mio(const sc_core::sc_module_name& name, const MioParams& params, const base::ClockDomain& clock)
    : Component(name, clock),
      smem_in("smem_in", params.cores),
      gmem_in("gmem_in", params.shared_data_path ? params.cores : 0),
      smem("smem", params.count()),
      gmem("gmem", params.shared_data_path ? params.full() : 0),
      params_(params),
      cores_(static_cast<unsigned>(params.cores)),
      stats_(params.count(), params.writeback.present),
      writeback_(params, stats_) {
  for (auto* const sockets : {&smem_in, &gmem_in})
    for (protocol::WarpTargetSocket& socket : *sockets) {
      socket.attach(*this, static_cast<unsigned>(ports_.size()));
      ports_.push_back(&socket);
    }
  units_.assign(params.count(), Unit(cores_));
  for (unsigned core = 0; core < cores_; ++core) {
    queues_.emplace_back(params.queue_depth);
    Unit& own = units_[core * params.full() / cores_];
    own.serves[kShared] |= std::uint64_t{1} << core;
    own.serves[kGlobal] |= std::uint64_t{1} << core;
  }
  for (unsigned unit = 0; unit < units_.size(); ++unit) {
    smem[unit].attach(*this, unit);
    if (unit < gmem.size()) gmem[unit].attach(*this, params.count() + unit);
    if (unit >= params.full()) units_[unit].serves[kShared] = ~std::uint64_t{0};
  }
}

bool Mio::on_request(unsigned port, Payload& payload) {
  Queue& queue = queues_[port % cores_];
  if (queue.items.full()) {
    queue.held.push(static_cast<std::uint8_t>(port));
    return false;
  }
  enqueue(port, payload);
  return true;
}

void Mio::enqueue(unsigned port, Payload& payload) {
  const unsigned core = port % cores_;
  auto& warp = static_cast<WarpPayload&>(payload);
  warp.access.port = static_cast<std::uint8_t>(port);
  warp.access.passes = 1;
  base::BoundedQueue<Item>& queue = queues_[core].items;
  if (queue.empty()) waiting_[side_of(port)] |= std::uint64_t{1} << core;
  queue.push({&warp, side_of(port)});
  ++open_;
  for (const Unit& unit : units_)
    if ((unit.serves[side_of(port)] >> core & 1) != 0 && unit.free != base::kNever)
      wake_at(std::max(unit.free, now() + 1));
}

void Mio::take_held(Queue& queue) {
  const unsigned port = queue.held.pop();
  enqueue(port, *ports_[port]->held());
  ports_[port]->take_held();  // the core may send its next request from inside
}

void Mio::tick() {
  if (!writeback_.empty()) {
    writeback_.tick(now(), [this](WarpPayload& payload) { answer(payload); });
    if (!writeback_.empty()) wake_next();
  }
  for (unsigned unit = 0; unit < units_.size(); ++unit) tick_unit(unit);
  if (units_.size() == 1) return;
  // What one unit has taken may have been in front of something for another.
  for (const Unit& unit : units_)
    if (unit.free != base::kNever && any_waits(unit)) wake_at(std::max(unit.free, now() + 1));
}

/// Of cores whose next access goes to shared memory: those that neither their order nor the write-back port stops.
std::uint64_t Mio::allowed(unsigned number, std::uint64_t shared) const {
  const bool has_room = writeback_.has_room(number);
  for (std::uint64_t rest = shared; rest != 0; rest &= rest - 1) {
    const Queue& queue = queues_[static_cast<unsigned>(__builtin_ctzll(rest))];
    const WarpPayload& next = *queue.items.front().payload;
    if (!queue.order.allows(number, stores(next)) || (!has_room && Writeback::writes_registers(next)))
      shared &= ~(rest & -rest);
  }
  return shared;
}

/// Cores whose next access the unit can take.
inline std::uint64_t Mio::ready_for(unsigned number) const {
  const Unit& unit = units_[number];
  std::uint64_t shared = smem[number].ready() ? waiting_[kShared] & unit.serves[kShared] : 0;
  if (params_.units == Units::kFullAndShared || !writeback_.has_room(number))
    shared = allowed(number, shared);
  const std::uint64_t global = waiting_[kGlobal] & unit.serves[kGlobal];
  return shared | (global != 0 && gmem[number].ready() ? global : 0);
}

void Mio::tick_unit(unsigned number) {
  const Cycle cycle = now();
  Unit& unit = units_[number];
  if (unit.free > cycle) {
    if (unit.free != base::kNever && any_waits(unit)) wake_at(unit.free);
    return;
  }
  if (path(number).current() == Stats::kConflict) path(number).charge(Stats::kIdle, cycle);
  const std::uint64_t ready = ready_for(number);
  if (ready == 0) {
    if (any_waits(unit))
      path(number).charge(writeback_.has_room(number) ? Stats::kBlocked : Stats::kWriteback, cycle);
    return;  // until on_ready(), another access, or a tick of the write-back ports
  }
  const unsigned core = unit.turn.pick(ready);
  Queue& queue = queues_[core];
  const Item item = queue.items.pop();
  const std::uint64_t bit = std::uint64_t{1} << core;
  waiting_[item.side] &= ~bit;
  if (!queue.items.empty()) waiting_[queue.items.front().side] |= bit;
  if (!queue.held.empty()) take_held(queue);
  send(number, core, item);
  if (unit.free != base::kNever && (path(number).current() == Stats::kConflict || any_waits(unit)))
    wake_at(unit.free);
}

void Mio::send(unsigned number, unsigned core, const Item& item) {
  Unit& unit = units_[number];
  unit.offered = item.payload;
  unit.free = base::kNever;
  if (item.side == kShared) {
    queues_[core].order.begin(number, stores(*item.payload));
    writeback_.sent(number, *item.payload);
  }
  protocol::WarpInitiatorSocket& socket = out(number, item.side);
  socket.send(*item.payload);
  if (socket.ready()) occupy(number, *item.payload, item.side);
  else path(number).charge(Stats::kBlocked, now());
}

/// The memory has taken the access in this cycle.
void Mio::occupy(unsigned number, const WarpPayload& payload, Side side) {
  const protocol::WarpAccess& access = payload.access;
  const auto width = static_cast<unsigned>(params_.bytes_per_cycle);
  const unsigned bytes = payload.info.timing_only ? 0 : bytes_of(access);
  unsigned passes = 1;
  if (side == kShared) {
    passes = std::max<unsigned>(access.passes, cycles_for(bytes, width));
    ++stats_.shared_accesses;
    (payload.is_read() ? stats_.shared_bytes_read : stats_.shared_bytes_written) += bytes;
    if (access.operand == protocol::Operand::kA && payload.is_read()) stats_.shared_bytes_read_a += bytes;
    if (access.operand == protocol::Operand::kB && payload.is_read()) stats_.shared_bytes_read_b += bytes;
    stats_.shared_passes += passes;
  } else {
    const bool local = access.local == protocol::WarpAccess::Local::kAll;  // each lane a word of one line
    passes = cycles_for(local ? bytes : sectors_of(access) * kSectorBytes, width);
    ++stats_.global_accesses;
    (payload.is_read() ? stats_.global_bytes_read : stats_.global_bytes_written) += bytes;
    stats_.global_passes += passes;
  }
  units_[number].offered = nullptr;
  units_[number].free = now() + passes;
  const unsigned activity = side == kShared ? Stats::kShared : Stats::kGlobal;
  path(number).charge_cycle(activity, passes == 1 ? Stats::kIdle : Stats::kConflict, now());
}

void Mio::on_response(unsigned port, Payload& payload) {
  auto& warp = static_cast<WarpPayload&>(payload);
  const auto count = static_cast<unsigned>(units_.size());
  if (port < count) queues_[warp.access.port % cores_].order.end(port, stores(warp));
  const WritebackPort::Client client = port < count ? WritebackPort::kShared : WritebackPort::kGlobal;
  if (writeback_.present() && writeback_.take(port % count, client, warp)) wake_now();
  else answer(warp);
}

void Mio::answer(WarpPayload& payload) {
  --open_;
  ports_[payload.access.port]->respond(payload);
}

void Mio::on_ready(unsigned port) {
  const auto count = static_cast<unsigned>(units_.size());
  Unit& unit = units_[port % count];
  if (unit.offered != nullptr) occupy(port % count, *unit.offered, port < count ? kShared : kGlobal);
  if (unit.free != base::kNever) wake_at(std::max(unit.free, now()));
}

void Mio::reset() {
  for (Queue& queue : queues_) {
    queue.items.clear();
    queue.held.clear();
    queue.order.reset();
  }
  for (protocol::WarpTargetSocket* port : ports_) port->reset();
  for (auto* const sockets : {&smem, &gmem})
    for (protocol::WarpInitiatorSocket& socket : *sockets) socket.reset();
  waiting_[kShared] = waiting_[kGlobal] = 0;
  open_ = 0;
  for (unsigned number = 0; number < units_.size(); ++number) {
    Unit& unit = units_[number];
    unit.free = 0;
    unit.offered = nullptr;
    unit.turn.reset();
    path(number).charge(Stats::kIdle, now());
  }
  writeback_.reset(now());
}

void Mio::dump_state(std::ostream& out) const {
  if (open_ == 0) return;
  out << name() << ": " << open_ << " accesses open";
  for (const Unit& unit : units_)
    if (unit.offered != nullptr) out << ", one more held by the memory behind";
  if (!writeback_.empty())
    out << ", write-back ports have " << writeback_.waiting(WritebackPort::kShared)
        << " answers of shared and " << writeback_.waiting(WritebackPort::kGlobal) << " of global memory";
  out << "\n";
  for (unsigned core = 0; core < cores_; ++core)
    for (std::size_t i = 0; i < queues_[core].items.size(); ++i) {
      const Item& item = queues_[core].items[i];
      const protocol::Origin& origin = item.payload->info.origin;
      out << "  core " << core << " waits: warp " << unsigned{origin.warp} << " pc 0x" << std::hex
          << origin.pc << " address 0x" << item.payload->get_address() << std::dec
          << (item.side == kShared ? ", shared memory" : ", global memory") << "\n";
    }
}

bool Mio::timing(base::Checkpoint& checkpoint) {
  checkpoint.each(smem_in);
  checkpoint.each(gmem_in);
  checkpoint.each(smem);
  checkpoint.each(gmem);
  checkpoint.each(queues_);
  checkpoint.each(units_);
  checkpoint(waiting_, open_, stats_);
  writeback_.timing(checkpoint);
  return true;
}

}  // namespace spica::mio
