// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <systemc>
#include <tlm>

#include "platform/machine/soc/assembled_machine.h"
#include "platform/machine/soc/measured_machine.h"

namespace spica::soc {

/// A machine of either mode, before its faults and its console are bound.
struct BuiltMachine {
  std::unique_ptr<AssembledMachine> machine;
  MeasuredMachine* measured = nullptr;  // what it measures; nullptr: the fast mode
  tlm::tlm_initiator_socket<>* memory = nullptr;  // to a user-supplied memory; nullptr: it has its own
};

/// `period`: of the clock; replaces clock_mhz.
BuiltMachine build_machine(const sc_core::sc_module_name& name, const SocParams& params, Mode mode,
                           const sc_core::sc_time& period = sc_core::SC_ZERO_TIME);

}  // namespace spica::soc
