// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>
#include <vector>

#include "models/assembly/assembly.h"
#include "models/cluster/cluster_plan.h"
#include "models/protocol/ports/console_if.h"
#include "models/protocol/ports/fault_if.h"
#include "models/protocol/ports/marker_if.h"
#include "models/protocol/transport/sockets.h"
#include "models/simt_core/simt_core.h"

namespace spica::cluster {

/// One cluster as a module for another simulation: add_cluster() in cycle mode. The owner binds masters() to memory,
/// and the three ports.
class Cluster final : public sc_core::sc_module {
 public:
  /// `first_core`: number of core 0 within the whole machine. `all_cores`: number of cores of the machine. `map` and
  /// `clock` must outlive the cluster.
  Cluster(const sc_core::sc_module_name& name, const ClusterParams& params, unsigned first_core,
          unsigned all_cores, const protocol::AddressMap& map, const base::ClockDomain& clock);

  sc_core::sc_port<protocol::FaultIf> fault{"fault"};
  sc_core::sc_port<protocol::ConsoleIf> console{"console"};
  sc_core::sc_port<protocol::MarkerIf> marker{"marker"};

  /// The sockets to be connected to the system bus.
  const std::vector<protocol::InitiatorSocket*>& masters() const { return masters_; }
  const std::vector<simt_core::SimtCore*>& cores() const { return cores_; }
  const assembly::Assembly& blocks() const { return blocks_; }

 private:
  const assembly::BuildContext build_context_;
  assembly::Plan plan_;
  const assembly::Assembly blocks_;
  std::vector<simt_core::SimtCore*> cores_;
  std::vector<protocol::InitiatorSocket*> masters_;
};

}  // namespace spica::cluster
