// SPDX-License-Identifier: Apache-2.0
// Construction, and the view of hosts, debuggers and checkpoints.
#include <algorithm>
#include <ostream>

#include "models/base/checkpoint.h"
#include "models/shared_memory/shared_memory.h"

namespace spica::shared_memory {

template <class WordBanks>
BasicSharedMemory<WordBanks>::BasicSharedMemory(const sc_core::sc_module_name& name,
                                                const SharedMemoryParams& params,
                                                const base::ClockDomain& clock)
    : SharedMemoryBlock(name, params, clock),
      params_(params),
      stats_(params_),
      map_(params_),
      reader_(params_, map_, stats_),
      ports_(static_cast<unsigned>(params.wide_ports.size())),
      banks_(params_, stats_),
      answers_(ports_, banks_, core_in.size()),
      lanes_(ports_, banks_, answers_, core_in.size()),
      arbiter_(ports_, banks_, lanes_, map_, params_, static_cast<unsigned>(wide_in.size() + core_in.size()),
               stats_),
      bursts_(ports_, banks_, map_, params_, stats_, arbiter_.chosen()) {
  const auto sources = static_cast<unsigned>(wide_in.size() + core_in.size());
  if (sources > 64) SC_REPORT_FATAL("shared_memory", "more than 64 ports");
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
  lanes_.reset();
  bursts_.stop();
  answers_.reset();
  arbiter_.reset();
}

template <class WordBanks>
void BasicSharedMemory<WordBanks>::settle_stats() {
  catch_up();
  Component::settle_stats();
}

template <class WordBanks>
bool BasicSharedMemory<WordBanks>::idle() const {
  return ports_.queued() == 0 && ports_.held == 0 && answers_.empty();
}

template <class WordBanks>
void BasicSharedMemory<WordBanks>::dump_state(std::ostream& out) const {
  out << name() << ": " << answers_.planned() << " to answer\n";
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

template <class WordBanks>
void BasicSharedMemory<WordBanks>::objects(base::Checkpoint& checkpoint) {
  checkpoint.objects().add(const_cast<protocol::LaneMemory*>(static_cast<const protocol::LaneMemory*>(this)));
}

template <class WordBanks>
bool BasicSharedMemory<WordBanks>::timing(base::Checkpoint& checkpoint) {
  checkpoint.each(core_in);
  checkpoint.each(wide_in);
  checkpoint(ports_, bursts_, answers_, lanes_, arbiter_, banks_, stats_);
  return true;
}

template class BasicSharedMemory<std::uint64_t>;
template class BasicSharedMemory<BankSet<4>>;
template class BasicSharedMemory<BankSet<32>>;

}  // namespace spica::shared_memory
