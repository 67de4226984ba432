// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/soc/past_accesses.h"

#include <sstream>

#include "models/base/checkpoint.h"
#include "models/protocol/payload/past_access.h"
#include "models/protocol/transport/pointer_ports.h"
#include "models/protocol/transport/sockets.h"
#include "platform/machine/soc/assembled_machine.h"

namespace spica::soc {

namespace {

/// Twice what the data caches hold.
std::size_t accesses_to_keep(const SocParams& params) {
  const std::uint64_t level_1 =
      params.clusters * params.cluster.data_caches() * params.cluster.dcache.size_bytes;
  return 2 * (params.l2.size_bytes + level_1) / protocol::AccessHistory::kBytes;
}

template <class Socket>
bool send(sc_core::sc_object* port, protocol::Payload& payload) {
  auto* const socket = dynamic_cast<Socket*>(port);
  if (socket != nullptr) (*socket)->transport_dbg(payload);
  return socket != nullptr;
}

}  // namespace

void PastAccesses::record() {
  if (history_) return;
  history_.emplace(accesses_to_keep(machine_.params()));
  for (sc_core::sc_module* block : machine_.blocks().all<sc_core::sc_module>())
    for (sc_core::sc_object* child : block->get_child_objects())
      if (auto* port = dynamic_cast<protocol::MemoryPort*>(child);
          port != nullptr && port->bound() && (*port)->data == machine_.main_memory_bytes()) {
        port->record_in(*history_, static_cast<unsigned>(ports_.size()));
        ports_.push_back(machine_.short_name(*port));
      }
}

std::string PastAccesses::save() {
  if (!history_) return "";
  std::ostringstream out;
  base::Checkpoint checkpoint(out);
  checkpoint(ports_, *history_);
  return out.str();
}

void PastAccesses::load(const std::string& state) {
  const bool fast = machine_.params().run.mode == Mode::kFast;
  if (state.empty() || (fast && !history_)) return;
  std::istringstream in(state);
  base::Checkpoint checkpoint(in);
  std::vector<std::string> ports;
  protocol::AccessHistory history(accesses_to_keep(machine_.params()));
  checkpoint(ports, fast ? *history_ : history);
  if (!fast) repeat(ports, history);
}

void PastAccesses::repeat(const std::vector<std::string>& ports, protocol::AccessHistory& history) const {
  std::vector<sc_core::sc_object*> objects;
  for (const std::string& name : ports)
    objects.push_back(sc_core::sc_find_object((std::string(machine_.name()) + '.' + name).c_str()));
  for (const protocol::AccessHistory::Access& access : history.accesses()) {
    protocol::PastPayload past(access.write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND, access.address,
                               protocol::AccessHistory::kBytes);
    sc_core::sc_object* const port = objects.at(access.requester);
    send<protocol::InitiatorSocket>(port, past.payload()) ||
        send<protocol::WarpInitiatorSocket>(port, past.payload());
  }
}

}  // namespace spica::soc
