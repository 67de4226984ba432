// SPDX-License-Identifier: Apache-2.0
// What comes in and goes out: requests into queues, debug access, reset, state for people.
#include <algorithm>
#include <ostream>

#include "models/shared_memory/shared_memory.h"

namespace spica::shared_memory {

template <class WordBanks>
BasicSharedMemory<WordBanks>::BasicSharedMemory(const sc_core::sc_module_name& name,
                                                const SharedMemoryParams& params,
                                                const base::ClockDomain& clock)
    : SharedMemoryBlock(name, params, clock),
      ports_(static_cast<unsigned>(params.wide_ports.size())),
      lanes_(core_in.size()),
      map_(params),
      banks_(params, stats_),
      bursts_(ports_, banks_, map_, params, stats_, chosen_),
      params_(params),
      filter_(params_, map_),
      stats_(params_) {
  const auto sources = static_cast<unsigned>(wide_in.size() + core_in.size());
  if (sources > 64) SC_REPORT_FATAL("shared_memory", "more than 64 ports");
  for (auto& banks : chosen_) banks.assign(params.banks, base::RoundRobin(sources));
  ports_.all.reserve(sources);
  const base::Cycle latency[2] = {params.read_latency, params.write_latency};
  for (unsigned source = 0; source < sources; ++source) {
    protocol::TargetPort& socket =
        ports_.is_core(source) ? static_cast<protocol::TargetPort&>(core_in[source - ports_.first_core])
                               : wide_in[source];
    socket.attach(*this, source);
    Port& port = ports_.all.emplace_back(
        socket, ports_.is_core(source) ? params.core_queue_depth : params.wide_queue_depth,
        ports_.is_core(source) ? static_cast<std::uint32_t>(params.source_ids) : ~std::uint32_t{0});
    port.request_latency = static_cast<std::uint16_t>(
        ports_.is_core(source) ? params.core_request_latency
                               : std::max<base::Cycle>(1, params.wide_buffer_latency));
    for (const Direction direction : {kRead, kWrite}) {
      port.latency[direction] = static_cast<std::uint16_t>(
          latency[direction] +
          (ports_.is_core(source) ? params.core_response_latency : params.wide_buffer_latency));
      port.words[direction] = (ports_.is_core(source) ? stats_.core : stats_.wide[source]).words[direction];
    }
  }
}

template <class WordBanks>
bool BasicSharedMemory<WordBanks>::on_request(unsigned source, protocol::Payload& payload) {
  if (!ports_[source].has_room()) {
    ports_.held |= bit(source);
    return false;
  }
  enqueue(source, payload);
  return true;
}

/// The lanes of a core proceed one by one. They wait before the memory in buffers of their own, and the access that
/// enters these next is before it as well.
template <class WordBanks>
void BasicSharedMemory<WordBanks>::connect_lanes(unsigned source, protocol::LaneWires& wires) {
  wires.memory = this;
  wires.memory_port = source;
  ports_[source].places = static_cast<std::uint16_t>(params_.core_queue_depth + 1);
}

template <class WordBanks>
void BasicSharedMemory<WordBanks>::take_held() {
  for (Sources rest = ports_.held & ports_.room_made; rest != 0; rest &= rest - 1) {
    const auto source = static_cast<unsigned>(__builtin_ctzll(rest));
    Port& port = ports_[source];
    if (!port.has_room()) continue;
    ports_.held &= ~bit(source);
    protocol::TargetPort& socket = *port.socket;
    enqueue(source, *socket.held());
    socket.take_held();  // the initiator may send its next request from inside
  }
}

template <class WordBanks>
void BasicSharedMemory<WordBanks>::enqueue(unsigned source, protocol::Payload& payload) {
  Port& port = ports_[source];
  Request& request = port.queue.append();  // built in its place: to copy one costs more than to serve it
  request = Request{};
  request.payload = &payload;
  request.ready = now() + port.request_latency;
  request.direction = payload.is_write() ? kWrite : kRead;
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  if (payload.get_command() == tlm::TLM_IGNORE_COMMAND) refuse(request, tlm::TLM_COMMAND_ERROR_RESPONSE);
  else if (ports_.is_core(source)) read_warp(request);
  else read_wide(request);
  const bool apart = ports_.is_core(source) && request.apart;
  if (apart) {
    protocol::LaneWires& wires = *request.access->wires;
    ++wires.accesses;
    if (wires.memory != this) connect_lanes(source, wires);
  }
  ++port.in_flight;
  if (port.queue.size() > 1) {
    if (!apart) return;
    // The lanes of all requests are those of the one before, or it is noted here.
    if ((request.left() & ~port.queue[port.queue.size() - 2].left()) != 0) lanes_.mixed |= bit(source);
    lanes_.coming_behind |= (lanes_.apart | lanes_.mixed) & bit(source);
    return;
  }
  const bool streams = bursts_.join(source, request, now());
  ports_.coming |= bit(source);
  wake_at(streams ? bursts_.end() : request.ready);
}

template <class WordBanks>
void BasicSharedMemory<WordBanks>::read_wide(Request& request) {
  const std::uint64_t offset = request.payload->get_address();
  const unsigned bytes = request.payload->get_data_length();
  if (offset >= params_.size || bytes > params_.size - offset)
    return refuse(request, tlm::TLM_ADDRESS_ERROR_RESPONSE);
  const auto begin = static_cast<std::uint32_t>(offset);
  const unsigned beat = protocol::info_of(*request.payload).beat_bytes;
  const unsigned beat_bytes = beat == 0 ? bytes : beat;
  const bool burst = beat_bytes != bytes;
  if (bytes == 0 || !map_.in_one_line(begin, beat_bytes) ||
      (burst && (bytes % beat != 0 || begin % beat != 0 || map_.line_bytes() % beat != 0)))
    return refuse(request, tlm::TLM_BURST_ERROR_RESPONSE);
  request.offset = begin;
  request.bytes = static_cast<std::uint8_t>(beat_bytes);
  request.beats = burst ? bytes / beat : 1;
  request.followers = request.beats - 1;
  request.banks = map_.span(begin, beat_bytes);
  request.words = static_cast<std::uint8_t>(map_.word_count(begin, beat_bytes));
  stats_.wide_requests += request.beats;
}

template <class WordBanks>
void BasicSharedMemory<WordBanks>::read_warp(Request& request) {
  if (&typeid(*request.payload) == &typeid(protocol::WarpPayload)) {  // asked once: nearly all are
    auto& warp = static_cast<protocol::WarpPayload&>(*request.payload);
    request.access = &warp.access;
    request.atomic = warp.info.atomic;
  } else {
    request.access = protocol::access_of(*request.payload);
    request.atomic = protocol::info_of(*request.payload).atomic;
  }
  if (request.access == nullptr) return refuse(request, tlm::TLM_COMMAND_ERROR_RESPONSE);
  request.apart = request.access->wires != nullptr;
  const bool atomic = request.atomic != protocol::Atomic::kNone;
  if (atomic) request.direction = kRead;
  filter_.split(*request.access, !atomic, request);
  if (!request.in_range) return refuse(request, tlm::TLM_ADDRESS_ERROR_RESPONSE);
  request.access->unanswered = request.access->mask;
  if (atomic) request.contiguous = false;
  request.access->passes = std::max<std::uint8_t>(request.degree, 1);
  ++stats_.core_accesses;
  if (request.degree != 0) ++*stats_.degree[request.degree - 1u];
  if (probe_ != nullptr)
    probe_->on_shared_access(now(), source_, protocol::info_of(*request.payload).origin, request.degree,
                             static_cast<unsigned>(__builtin_popcount(request.unaligned)));
}

/// An error takes its turn like a request that needs no bank.
template <class WordBanks>
void BasicSharedMemory<WordBanks>::refuse(Request& request, tlm::tlm_response_status status) {
  request.payload->set_response_status(status);
  ++stats_.refused_requests;
}

template <class WordBanks>
unsigned BasicSharedMemory<WordBanks>::on_debug(unsigned source, protocol::Payload& payload) {
  const std::uint64_t offset =
      ports_.is_core(source) ? payload.get_address() - params_.base : payload.get_address();
  const unsigned bytes = payload.get_data_length();
  if (offset >= params_.size || bytes > params_.size - offset) return 0;
  catch_up();
  banks_.cells().move(payload, 0, static_cast<std::uint32_t>(offset), bytes);
  return bytes;
}

template <class WordBanks>
bool BasicSharedMemory<WordBanks>::on_direct_memory(unsigned source, protocol::Payload&, tlm::tlm_dmi& dmi) {
  const std::uint64_t start = ports_.is_core(source) ? params_.base : 0;
  dmi.set_dmi_ptr(banks_.cells().data());
  dmi.set_start_address(start);
  dmi.set_end_address(start + params_.size - 1);
  dmi.allow_read_write();
  return true;
}

template <class WordBanks>
void BasicSharedMemory<WordBanks>::reset() {
  banks_.cells().clear();
  ports_.reset();
  lanes_.clear();
  bursts_.stop();
  responses_.clear();
  for (auto& banks : chosen_)
    for (base::RoundRobin& bank : banks) bank.reset();
  for (UnalignedPath& path : unaligned_) path.reset();
}

template <class WordBanks>
void BasicSharedMemory<WordBanks>::settle_stats() {
  catch_up();
  Component::settle_stats();
}

template <class WordBanks>
bool BasicSharedMemory<WordBanks>::idle() const {
  return ports_.queued() == 0 && ports_.held == 0 && responses_.empty() && lanes_.answering == 0;
}

template <class WordBanks>
void BasicSharedMemory<WordBanks>::dump_state(std::ostream& out) const {
  out << name() << ": " << responses_.size() << " to answer\n";
  for (unsigned source = 0; source < ports_.all.size(); ++source) {
    const Port& port = ports_[source];
    if (port.in_flight == 0 && (ports_.held & bit(source)) == 0) continue;
    out << "  " << port.socket->path() << ": " << port.in_flight << " in flight, " << port.queue.size()
        << " before the banks";
    if ((ports_.held & bit(source)) != 0) out << ", one more held at the socket";
    out << '\n';
    for (std::size_t i = 0; i < port.queue.size(); ++i) {
      const Request& request = port.queue[i];
      const protocol::Origin& origin = protocol::info_of(*request.payload).origin;
      out << std::hex << "    pc 0x" << origin.pc << " address 0x" << request.payload->get_address()
          << " lanes left: direct 0x" << request.aligned << ", unaligned 0x" << request.unaligned << std::dec
          << ", warp " << unsigned{origin.warp}
          << (request.direction == kWrite ? ", store" : ", load or atomic") << '\n';
    }
  }
}

template class BasicSharedMemory<std::uint64_t>;
template class BasicSharedMemory<BankSet<4>>;
template class BasicSharedMemory<BankSet<32>>;

}  // namespace spica::shared_memory
