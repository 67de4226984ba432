// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>
#include <tlm>

namespace spica::soc {

/// The ports of a machine for a host in the same simulation (models/host_port). The lines may stay unbound.
struct HostSide {
  tlm::tlm_target_socket<>& in;
  sc_core::sc_port<sc_core::sc_signal_inout_if<bool>, 1, sc_core::SC_ZERO_OR_MORE_BOUND>& done;
  sc_core::sc_port<sc_core::sc_signal_in_if<bool>, 1, sc_core::SC_ZERO_OR_MORE_BOUND>& reset;
};

}  // namespace spica::soc
