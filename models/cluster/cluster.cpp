// SPDX-License-Identifier: Apache-2.0
#include "models/cluster/cluster.h"

#include "models/cluster/kinds.h"
#include "models/cluster/memory_counters.h"

namespace spica::cluster {

namespace {

assembly::Plan plan_of(const ClusterParams& params, const ClusterPlace& place) {
  add_kinds();
  assembly::Plan plan;
  add_cluster(plan, params, place);
  return plan;
}

}  // namespace

Cluster::Cluster(const sc_core::sc_module_name& name, const ClusterParams& params, unsigned first_core,
                 unsigned all_cores, const protocol::AddressMap& map, const base::ClockDomain& clock)
    : sc_module(name),
      build_context_{clock, map},
      plan_(plan_of(params, {"", first_core, all_cores})),
      blocks_(plan_, assembly::Mode::kCycle, build_context_, *this),
      cores_(blocks_.all<simt_core::SimtCore>()) {
  show_cluster_counters(blocks_, "", params);
  for (const std::string& master : params.bus_masters()) {
    const std::string full = std::string(this->name()) + "." + master;
    masters_.push_back(dynamic_cast<protocol::InitiatorSocket*>(sc_core::sc_find_object(full.c_str())));
  }
}

}  // namespace spica::cluster
