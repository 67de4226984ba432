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
      gmem("gmem", params.shared_data_path ? 1 : 0),
      params_(params),
      cores_(static_cast<unsigned>(params.cores)),
      turn_(cores_) {
  for (auto* const sockets : {&smem_in, &gmem_in})
    for (protocol::WarpTargetSocket& socket : *sockets) {
      socket.attach(*this, static_cast<unsigned>(ports_.size()));
      ports_.push_back(&socket);
    }
  smem.attach(*this, kShared);
  for (protocol::WarpInitiatorSocket& socket : gmem) socket.attach(*this, kGlobal);
  for (unsigned core = 0; core < cores_; ++core) queues_.emplace_back(params.queue_depth);
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
  if (free_ != base::kNever) wake_at(std::max(free_, now() + 1));
}

void Mio::take_held(Queue& queue) {
  const unsigned port = queue.held.pop();
  enqueue(port, *ports_[port]->held());
  ports_[port]->take_held();  // the core may send its next request from inside
}

void Mio::tick() {
  const Cycle cycle = now();
  if (free_ > cycle) {
    if (free_ != base::kNever && any_waits()) wake_at(free_);
    return;
  }
  if (stats_.path.current() == Stats::kConflict) stats_.path.charge(Stats::kIdle, cycle);
  std::uint64_t ready = smem.ready() ? waiting_[kShared] : 0;
  if (waiting_[kGlobal] != 0 && gmem[0].ready()) ready |= waiting_[kGlobal];
  if (ready == 0) {
    if (any_waits()) stats_.path.charge(Stats::kBlocked, cycle);
    return;  // until on_ready(), or another access
  }
  const unsigned core = turn_.pick(ready);
  Queue& queue = queues_[core];
  const Item item = queue.items.pop();
  const std::uint64_t bit = std::uint64_t{1} << core;
  waiting_[item.side] &= ~bit;
  if (!queue.items.empty()) waiting_[queue.items.front().side] |= bit;
  if (!queue.held.empty()) take_held(queue);
  send(item);
  if (free_ != base::kNever && (stats_.path.current() == Stats::kConflict || any_waits())) wake_at(free_);
}

void Mio::send(const Item& item) {
  offered_ = item.payload;
  free_ = base::kNever;
  protocol::WarpInitiatorSocket& socket = out(item.side);
  socket.send(*item.payload);
  if (socket.ready()) occupy(*item.payload, item.side);
  else stats_.path.charge(Stats::kBlocked, now());
}

/// The memory has taken the access in this cycle.
void Mio::occupy(const WarpPayload& payload, Side side) {
  const protocol::WarpAccess& access = payload.access;
  const auto width = static_cast<unsigned>(params_.bytes_per_cycle);
  const unsigned bytes = payload.info.timing_only ? 0 : bytes_of(access);
  unsigned passes = 1;
  if (side == kShared) {
    passes = std::max<unsigned>(access.passes, cycles_for(bytes, width));
    ++stats_.shared_accesses;
    (payload.is_read() ? stats_.shared_bytes_read : stats_.shared_bytes_written) += bytes;
    stats_.shared_passes += passes;
  } else {
    const bool local = access.local == protocol::WarpAccess::Local::kAll;  // each lane a word of one line
    passes = cycles_for(local ? bytes : sectors_of(access) * kSectorBytes, width);
    ++stats_.global_accesses;
    (payload.is_read() ? stats_.global_bytes_read : stats_.global_bytes_written) += bytes;
    stats_.global_passes += passes;
  }
  offered_ = nullptr;
  free_ = now() + passes;
  const unsigned activity = side == kShared ? Stats::kShared : Stats::kGlobal;
  stats_.path.charge_cycle(activity, passes == 1 ? Stats::kIdle : Stats::kConflict, now());
}

void Mio::on_response(unsigned, Payload& payload) {
  --open_;
  ports_[static_cast<WarpPayload&>(payload).access.port]->respond(payload);
}

void Mio::on_ready(unsigned side) {
  if (offered_ != nullptr) occupy(*offered_, static_cast<Side>(side));
  if (free_ != base::kNever) wake_at(std::max(free_, now()));
}

unsigned Mio::on_debug(unsigned port, Payload& payload) { return out(side_of(port))->transport_dbg(payload); }

bool Mio::on_direct_memory(unsigned port, Payload& payload, tlm::tlm_dmi& dmi) {
  return out(side_of(port))->get_direct_mem_ptr(payload, dmi);
}

void Mio::reset() {
  for (Queue& queue : queues_) {
    queue.items.clear();
    queue.held.clear();
  }
  for (protocol::WarpTargetSocket* port : ports_) port->reset();
  smem.reset();
  for (protocol::WarpInitiatorSocket& socket : gmem) socket.reset();
  waiting_[kShared] = waiting_[kGlobal] = 0;
  offered_ = nullptr;
  free_ = 0;
  open_ = 0;
  turn_.reset();
  stats_.path.charge(Stats::kIdle, now());
}

void Mio::dump_state(std::ostream& out) const {
  if (open_ == 0) return;
  out << name() << ": " << open_ << " accesses open";
  if (offered_ != nullptr) out << ", one more held by the memory behind";
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
  checkpoint.each(gmem);
  checkpoint.each(queues_);
  checkpoint(smem, free_, waiting_, offered_, open_, turn_, stats_);
  return true;
}

}  // namespace spica::mio
