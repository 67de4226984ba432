// SPDX-License-Identifier: Apache-2.0
#include "platform/soc/soc.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "models/cache/cache.h"
#include "models/cluster/cluster.h"
#include "models/cluster/memory_counters.h"
#include "models/interconnect/crossbar.h"
#include "models/main_memory/main_memory.h"
#include "platform/soc/host_edge.h"

namespace spica::soc {

protocol::AddressMap address_map(const SocParams& p) {
  cluster::MapInputs inputs = p.cluster.map_inputs();
  inputs.global_base = p.main_memory.base;
  inputs.global_bytes = p.main_memory.size;
  return cluster::build_address_map(p.cluster.memory_map, inputs);
}

namespace {

interconnect::CrossbarParams bus_params(const SocParams& p) {
  interconnect::CrossbarParams result = p.bus;
  result.masters = p.clusters * p.cluster.bus_masters() + (p.host.present ? 2 : 1);  // debug access, host
  result.targets = 1;
  return result;
}

cache::Params l2_params(const SocParams& p) {
  cache::Params result = p.l2;
  result.ports = 1;
  return result;
}

}  // namespace

struct Soc::Shared {
  Shared(const SocParams& params, const base::ClockDomain& clock)
      : main_memory(params.main_memory.external ? nullptr
                                                : std::make_unique<main_memory::MainMemory>(
                                                      "main_memory", params.main_memory, clock)),
        l2("l2", l2_params(params), clock),
        bus("bus", bus_params(params), clock) {}

  std::unique_ptr<main_memory::MainMemory> main_memory;  // or it is external
  cache::Cache l2;
  interconnect::Crossbar bus;
};

Soc::Soc(const sc_core::sc_module_name& name, const SocParams& given, const sc_core::sc_time& period)
    : sc_module(name),
      params_(completed(given, period)),
      map_(address_map(given)),
      clock_("clock", clock_period(given, period)),
      region_("region", clock_),
      shared_(std::make_unique<Shared>(params_, clock_)) {
  const SocParams& params = params_;
  auto& [main_memory, l2, bus] = *shared_;
  if (main_memory != nullptr) {
    l2.out.bind(main_memory->in);
  } else {
    memory_ = std::make_unique<tlm::tlm_initiator_socket<>>("memory");
    l2.out.bind(*memory_);
  }
  if (params.host.present) {
    edge_ = std::make_unique<HostEdge>(*this, clock_, host_port::HostPort::Behind::kTimed);
    edge_->port.fault.bind(fault);
  }
  bus.out[0].bind(l2.in[0]);
  l2.share_reservations(reservations_);

  const auto cores = static_cast<unsigned>(params.cluster.cores);
  const auto count = static_cast<unsigned>(params.clusters);
  unsigned port = 0;
  for (unsigned i = 0; i < count; ++i) {
    clusters_.push_back(std::make_unique<cluster::Cluster>(
        fmt::format("cluster_{}", i).c_str(), params.cluster, i * cores, count * cores, map_, clock_));
    cluster::Cluster& cluster = *clusters_.back();
    for (protocol::InitiatorSocket* master : cluster.masters()) master->bind(bus.in[port++]);
    for (cache::Cache& dcache : cluster.dcaches) dcache.share_reservations(reservations_);
    if (edge_ == nullptr) cluster.fault.bind(fault);
    else cluster.fault.bind(edge_->port.fault_in);
    cluster.console.bind(console);
    cluster.marker.bind(region_);
    for (simt_core::SimtCore& core : cluster.cores) cores_.push_back(&core);
  }
  host_.attach(*this);
  host_.bind(bus.in[port++]);
  if (edge_ != nullptr) {
    edge_->port.gmem.bind(bus.in[port]);
    for (unsigned i = 0; i < count; ++i) {
      auto& wide = clusters_[i]->shared_memory.wide_in;
      edge_->port.smem[i].bind(wide[wide.size() - 1]);
      edge_->port.mmio[i].bind(clusters_[i]->peripheral_bus.in[cores]);
    }
  }

  if (main_memory != nullptr) components_.push_back(main_memory.get());
  components_.insert(components_.end(), {&l2, &bus});
  for (auto& cluster : clusters_)
    for (base::Component* component : cluster->components()) components_.push_back(component);
  for (base::Component* component : components_) region_.watch(*component);
  clock_.add(region_);
  for (base::Component* component : components_) clock_.add(*component);
  if (edge_ != nullptr) add(edge_->port);
  connect_performance_counters();
}

Soc::~Soc() = default;

const unsigned char* Soc::main_memory_bytes() {
  return shared_->main_memory == nullptr ? nullptr : shared_->main_memory->bytes();
}

/// Level 2 and memory, which all cores share, after every core's counters of class 2 (vortex
/// core/VX_csr_data.sv).
void Soc::connect_performance_counters() {
  for (simt_core::SimtCore* core : cores_) {
    cluster::show_data_cache(core->performance(), 0xB0C, shared_->l2);
    if (shared_->main_memory == nullptr) continue;
    const auto& memory = shared_->main_memory->stats();
    cluster::show_counter(core->performance(), 0xB18, [&memory] { return memory.reads.value(); });
    cluster::show_counter(core->performance(), 0xB19, [&memory] { return memory.writes.value(); });
  }
}

void Soc::launch(std::uint32_t entry) {
  for (simt_core::SimtCore* core : cores_) core->launch(entry);
}

Soc::SharedPlace Soc::shared_place(std::uint64_t address, std::uint64_t bytes, unsigned cluster) {
  shared_memory::SharedMemory& shared = clusters_[cluster]->shared_memory;
  const std::uint64_t offset = address - params_.cluster.memory_map.shared_base;
  if (offset >= shared.size()) return {false, nullptr};
  return {true, bytes <= shared.size() - offset ? shared.data() + offset : nullptr};
}

bool Soc::read(std::uint64_t address, unsigned char* to, std::uint64_t bytes, unsigned cluster) {
  const SharedPlace place = shared_place(address, bytes, cluster);
  if (place.data != nullptr) std::memcpy(to, place.data, bytes);
  if (place.starts_in_shared) return place.data != nullptr;
  return host_memory_.read(address, to, static_cast<unsigned>(bytes));
}

bool Soc::write(std::uint64_t address, const unsigned char* from, std::uint64_t bytes, unsigned cluster) {
  const SharedPlace place = shared_place(address, bytes, cluster);
  if (place.data != nullptr) std::memcpy(place.data, from, bytes);
  if (place.starts_in_shared) return place.data != nullptr;
  return host_memory_.write(address, from, static_cast<unsigned>(bytes));
}

std::string Soc::short_name(const base::Component& component) const {
  const std::string full = component.name();
  const std::string prefix = std::string(name()) + ".";
  return full.compare(0, prefix.size(), prefix) == 0 ? full.substr(prefix.size()) : full;
}

void Soc::add(base::Component& block) {
  components_.push_back(&block);
  region_.watch(block);
  clock_.add(block);
}

bool Soc::any_warp_running() const {
  return std::any_of(cores_.begin(), cores_.end(),
                     [](const simt_core::SimtCore* core) { return core->running_warps() != 0; });
}

bool Soc::idle() const {
  return std::all_of(components_.begin(), components_.end(),
                     [](const base::Component* component) { return component->idle(); });
}

}  // namespace spica::soc
