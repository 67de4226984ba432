// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/soc/soc.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <sstream>
#include <stdexcept>

#include "models/base/checkpoint.h"
#include "models/cluster/memory_counters.h"
#include "models/protocol/launch_if.h"
#include "platform/base/input/user_error.h"

namespace spica::soc {

Soc::Soc(const sc_core::sc_module_name& name, const SocParams& params, const sc_core::sc_time& period)
    : AssembledMachine(name, params, period, nullptr), region_("marker", clock()) {
  if (params.main_memory.external) memory_ = std::make_unique<tlm::tlm_initiator_socket<>>("memory");
  host_.attach(*this);
  assemble(assembly::Mode::kCycle);
  components_ = blocks().components();
  profiled_ = blocks().all<protocol::LineProfiled>();
  main_ = blocks().find<protocol::ByteStore>("main_memory");
  for (protocol::ByteStore* store : blocks().all<protocol::ByteStore>())
    if (store != main_) shared_.push_back(store);
  for (auto* user : blocks().all<protocol::ReservationUser>()) user->share_reservations(reservations_);
  for (base::Component* component : components_) {
    region_.watch(*component);
    base::register_block_type(component->type());
  }
  clock().add(region_);
  start_clocks();
  for (unsigned i = 0; i < clusters(); ++i)
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
  return host_memory_.write(address, from, static_cast<unsigned>(bytes));
}

/// But for the host port, which may be asked for the state of the machine.
bool Soc::idle() const {
  return std::all_of(components_.begin(), components_.end(), [this](const base::Component* component) {
    return component->idle() || is_host_port(*component);
  });
}

void Soc::own_state(base::Checkpoint& checkpoint) {
  if (params().run.links == protocol::Links::kChecked)
    throw input::UserError(
        "run.links=checked: what the checks of the links know of requests under way cannot be saved");
  checkpoint(reservations_, region_);
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

void Soc::start_profile() {
  for (protocol::LineProfiled* core : profiled_) core->start_profile();
}

const protocol::LineProfile* Soc::profile(unsigned core) const { return profiled_[core]->profile(); }

void Soc::catch_up() {
  for (base::Component* component : components_) {
    component->domain()->catch_up();
    component->catch_up();
  }
}

/// Every account of every block must have charged each cycle of the run, and of the timed region, exactly once.
void Soc::settle() {
  region_.settle();
  const base::StatWindow window = region_.window();
  for (base::Component* component : components_) {
    const base::Cycle length = region_.cycles(*component);
    for (const base::CycleAccount& account : component->stats().accounts()) {
      const std::uint64_t run = component->now() - account.start();
      if (account.total() != run)
        throw std::logic_error(fmt::format("{}: the account '{}' sums to {} of {} cycles", component->name(),
                                           account.name(), account.total(), run));
      const std::vector<std::uint64_t> cycles = window.cycles(account);
      const std::uint64_t timed = std::accumulate(cycles.begin(), cycles.end(), std::uint64_t{0});
      if (timed != length)
        throw std::logic_error(fmt::format("{}: the account '{}' sums to {} of {} cycles of the timed region",
                                           component->name(), account.name(), timed, length));
    }
  }
}

std::string Soc::work_in_flight() const {
  std::ostringstream text;
  for (const base::Component* component : components_)
    if (!component->idle() && dynamic_cast<const protocol::LaunchIf*>(component) == nullptr)
      component->dump_state(text);
  return text.str();
}

}  // namespace spica::soc
