// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>

#include "models/protocol/ports/accelerator_if.h"
#include "models/protocol/ports/barrier_if.h"
#include "models/protocol/ports/fault_if.h"
#include "models/protocol/ports/marker_if.h"
#include "models/protocol/ports/work_group_if.h"
#include "models/protocol/transport/sockets.h"

namespace spica::simt_core {

/// The neighbour to which `port` is bound; nullptr: none.
template <class If, int n, sc_core::sc_port_policy policy>
If* bound(sc_core::sc_port<If, n, policy>& port) {
  return port.size() != 0 ? port.operator->() : nullptr;
}

/// The ports of a core apart from memory, in both modes: peripherals, barriers and the host. `Module` is its SystemC
/// module class.
template <class Module>
class CorePorts : public Module, public protocol::BarrierReleaseIf, protected protocol::WarpLaunchIf {
  template <class If>
  using OptionalPort = sc_core::sc_port<If, 1, sc_core::SC_ZERO_OR_MORE_BOUND>;

 public:
  template <class... Arguments>
  explicit CorePorts(const Arguments&... arguments) : Module(arguments...) {
    release_port.bind(*this);
    groups.bind(*this);
  }

  protocol::InitiatorSocket mmio{"mmio"};
  OptionalPort<protocol::BarrierIf> barrier{"barrier"};
  OptionalPort<protocol::AcceleratorIf> accelerator{"accelerator"};
  sc_core::sc_port<protocol::FaultIf> fault{"fault"};
  OptionalPort<protocol::MarkerIf> marker{"marker"};
  /// To and from a dispatcher of work groups, if present.
  sc_core::sc_export<protocol::WarpLaunchIf> groups{"groups"};
  OptionalPort<protocol::WarpEndIf> group_ends{"group_ends"};
  sc_core::sc_export<protocol::BarrierReleaseIf> release_port{"release"};
};

}  // namespace spica::simt_core
