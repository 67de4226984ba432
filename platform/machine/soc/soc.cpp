// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/soc/soc.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <sstream>

#include "models/base/checkpoint.h"
#include "models/cluster/memory_counters.h"
#include "models/protocol/payload/payload_pool.h"
#include "models/protocol/ports/launch_if.h"
#include "models/protocol/transport/foreign_call.h"
#include "platform/base/input/user_error.h"

namespace spica::soc {

Soc::Soc(const sc_core::sc_module_name& name, const SocParams& params, const sc_core::sc_time& period)
    : AssembledMachine(name, params, period, nullptr) {
  if (params.main_memory.external) memory_ = std::make_unique<tlm::tlm_initiator_socket<>>("memory");
  host_.attach(*this);
  assemble(assembly::Mode::kCycle);
  main_ = blocks().find<protocol::ByteStore>("main_memory");
  for (protocol::ByteStore* store : blocks().all<protocol::ByteStore>())
    if (store != main_) shared_.push_back(store);
  for (auto* user : blocks().all<protocol::ReservationUser>()) user->share_reservations(reservations_);
  measured_.begin(blocks().components(), blocks().all<protocol::LineProfiled>());
  if (command_processor() != nullptr)
    command_processor()->on_launches([this] { measured_.region().launches_changed(); });
  start_clocks();
  for (unsigned i = 0; i < params.clusters; ++i)
    show_cluster_counters(blocks(), fmt::format("cluster_{}.", i), params.cluster);
  cluster::show_memory_counters(blocks());
}

Soc::~Soc() = default;

const unsigned char* Soc::main_memory_bytes() { return main_ != nullptr ? main_->data() : nullptr; }

Soc::SharedPlace Soc::shared_place(std::uint64_t address, std::uint64_t bytes, unsigned cluster) {
  protocol::ByteStore* const shared = cluster < shared_.size() ? shared_[cluster] : nullptr;
  const std::uint64_t offset = address - params().cluster.memory_map.shared_base;
  if (shared == nullptr || offset >= shared->size()) return {false, nullptr};
  return {true, bytes <= shared->size() - offset ? shared->data() + offset : nullptr};
}

bool Soc::read(std::uint64_t address, unsigned char* to, std::uint64_t bytes, unsigned cluster) {
  if (const unsigned char* from = firmware_place(address, bytes); from != nullptr) {
    std::memcpy(to, from, bytes);
    return true;
  }
  const SharedPlace place = shared_place(address, bytes, cluster);
  if (place.data != nullptr) std::memcpy(to, place.data, bytes);
  if (place.starts_in_shared) return place.data != nullptr;
  return host_memory_.read(address, to, static_cast<unsigned>(bytes));
}

bool Soc::write(std::uint64_t address, const unsigned char* from, std::uint64_t bytes, unsigned cluster) {
  if (unsigned char* to = firmware_place(address, bytes); to != nullptr) {
    std::memcpy(to, from, bytes);
    firmware_written();
    return true;
  }
  const SharedPlace place = shared_place(address, bytes, cluster);
  if (place.data != nullptr) std::memcpy(place.data, from, bytes);
  if (place.starts_in_shared) return place.data != nullptr;
  warm_up(address, bytes);
  return host_memory_.write(address, from, static_cast<unsigned>(bytes));
}

/// The level 2 cache has what the host writes while nothing is in flight, if `l2.warm` is on.
void Soc::warm_up(std::uint64_t address, std::uint64_t bytes) {
  const auto& l2 = params().l2;
  if (l2.warm == decltype(l2.warm)::kOff || (clock().now() != 0 && !finished())) return;
  protocol::LinePayload line(nullptr);
  for (std::uint64_t at = address / l2.line_bytes * l2.line_bytes; at < address + bytes;
       at += l2.line_bytes) {
    line.setup(tlm::TLM_WRITE_COMMAND, at, static_cast<unsigned>(l2.line_bytes), {});
    line.disable_bytes();
    line.info.timing_only = true;
    protocol::call_foreign(host_, [&] { return host_->transport_dbg(line); });
  }
}

/// But for the host port, which may be asked for the state of the machine.
bool Soc::idle() const {
  const std::vector<base::Component*>& all = measured_.components();
  return std::all_of(all.begin(), all.end(), [this](const base::Component* component) {
    return component->idle() || component == host_port();
  });
}

void Soc::own_state(base::Checkpoint& checkpoint) {
  if (params().run.links == protocol::Links::kChecked)
    throw input::UserError("run.links=checked: the state of the link checks cannot be saved in a checkpoint");
  checkpoint(reservations_, measured_.region());
}

void Soc::reset() {
  AssembledMachine::reset();
  reservations_.clear();
}

tlm::tlm_initiator_socket<>& Soc::memory() {
  if (memory_ == nullptr)
    SC_REPORT_FATAL("/spica/soc", "the machine has a memory of its own; set main_memory.external");
  return *memory_;
}

std::string Soc::work_in_flight() const {
  std::ostringstream text;
  for (const base::Component* component : measured_.components())
    if (!component->idle() && dynamic_cast<const protocol::LaunchIf*>(component) == nullptr)
      component->dump_state(text);
  return text.str();
}

}  // namespace spica::soc
