// SPDX-License-Identifier: Apache-2.0
#include "platform/soc/host_edge.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/cluster/cluster.h"
#include "models/cluster/fast_cluster.h"
#include "platform/soc/fast_soc.h"
#include "platform/soc/soc.h"

namespace spica::soc {

using host_port::HostPort;

namespace {

host_port::HostPortParams port_params(const SocParams& p) {
  host_port::HostPortParams result = p.host;
  result.clusters = p.clusters;
  result.cores = p.clusters * p.cluster.cores;
  result.cluster_base = p.cluster.memory_map.shared_base;
  result.window_bytes = p.cluster.memory_map.window_bytes;
  result.shared_line = p.cluster.shared_memory.words * p.cluster.shared_memory.word_bytes;
  return result;
}

HostSide side_of(HostEdge* edge) {
  if (edge == nullptr) SC_REPORT_FATAL("/spica/soc", "the machine has no host port; set host.present");
  return {edge->port.in, edge->port.done, edge->port.reset_line};
}

}  // namespace

SocParams completed(const SocParams& params, const sc_core::sc_time& period) {
  SocParams result = params;
  result.cluster.host_port = params.host.present;
  if (period != sc_core::SC_ZERO_TIME) result.clock_mhz = 1e-6 / period.to_seconds();
  return result;
}

sc_core::sc_time clock_period(const SocParams& params, const sc_core::sc_time& period) {
  return period != sc_core::SC_ZERO_TIME ? period
                                         : sc_core::sc_time(1000.0 / params.clock_mhz, sc_core::SC_NS);
}

HostEdge::HostEdge(Machine& machine, const base::ClockDomain& clock, HostPort::Behind behind)
    : port("host_port", port_params(machine.params()), clock, machine.map(), behind), machine_(machine) {
  port.machine.bind(*this);
}

void HostEdge::bind_global(const protocol::PointedMemory& memory, const base::ClockDomain& clock) {
  fronts_.push_back(std::make_unique<host_port::PointedTarget>("host_global", memory, 0, clock));
  port.gmem.bind(fronts_.back()->in);
}

void HostEdge::bind_shared(unsigned cluster, const protocol::PointedMemory& memory,
                           const base::ClockDomain& clock) {
  fronts_.push_back(std::make_unique<host_port::PointedTarget>(fmt::format("host_shared_{}", cluster).c_str(),
                                                               memory, memory.base, clock));
  port.smem[cluster].bind(fronts_.back()->in);
}

// -- the machine of the cycle mode

void Soc::reset() {
  for (base::Component* component : components_)
    if (edge_ == nullptr || component != &edge_->port) component->reset();
  reservations_.clear();
}

/// The host may ask for its end at any time: what it asks is not part of the program.
base::Cycle Soc::ended() const {
  const auto at_rest = [this](const base::Component* component) {
    return component->idle() || (edge_ != nullptr && component == &edge_->port);
  };
  const bool over = !any_warp_running() && std::all_of(components_.begin(), components_.end(), at_rest);
  return over ? now() : base::kNever;
}

void Soc::halt() {
  for (simt_core::SimtCore* core : cores_) core->halt();
}

HostSide Soc::host() { return side_of(edge_.get()); }

tlm::tlm_initiator_socket<>& Soc::memory() {
  if (memory_ == nullptr)
    SC_REPORT_FATAL("/spica/soc", "the machine has a memory of its own; set main_memory.external");
  return *memory_;
}

// -- the machine of the fast mode

void FastSoc::reset() {
  for (auto& cluster : clusters_) cluster->reset();
  reservations_.clear();
  time_.stop = time_.polled = false;
  next_turn_ = 0;
  random_.seed(params_.run.warp_order);
}

/// The slice that runs ends; the simulation goes on.
void FastSoc::halt() {
  time_.stop = true;
  for (auto* core : cores_) core->halt();
}

HostSide FastSoc::host() { return side_of(edge_.get()); }

}  // namespace spica::soc
