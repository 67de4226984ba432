// SPDX-License-Identifier: Apache-2.0
#include "models/host_port/registers.h"

namespace spica::host_port {

std::optional<std::uint32_t> Registers::read(std::uint64_t offset, base::Cycle now) const {
  const base::Cycle cycles = running() ? now - start_ : cycles_;
  switch (offset) {
    case HOST_PORT_ID: return HOST_PORT_ID_VALUE;
    case HOST_PORT_STATUS: return status_;
    case HOST_PORT_ENTRY: return entry_;
    case HOST_PORT_INTERRUPT_ENABLE: return enabled_ ? 1 : 0;
    case HOST_PORT_INTERRUPT_PENDING: return pending_ ? 1 : 0;
    case HOST_PORT_EXIT_CODE: return exit_code_;
    case HOST_PORT_CYCLES_LO: return static_cast<std::uint32_t>(cycles);
    case HOST_PORT_CYCLES_HI: return static_cast<std::uint32_t>(cycles >> 32);
    case HOST_PORT_FAULT_KIND: return fault_.kind;
    case HOST_PORT_FAULT_PC: return fault_.pc;
    case HOST_PORT_FAULT_ADDRESS: return fault_.address;
    case HOST_PORT_FAULT_ORIGIN: return fault_.origin;
    case HOST_PORT_CORES: return cores_;
    case HOST_PORT_CLUSTERS: return clusters_;
    default: return std::nullopt;
  }
}

Registers::Action Registers::write(std::uint64_t offset, std::uint32_t value) {
  switch (offset) {
    case HOST_PORT_ENTRY: entry_ = value; return Action::kNone;
    case HOST_PORT_INTERRUPT_ENABLE: enabled_ = (value & 1) != 0; return Action::kNone;
    case HOST_PORT_INTERRUPT_PENDING:
      if ((value & 1) != 0) pending_ = false;
      return Action::kNone;
    case HOST_PORT_RESET: return Action::kReset;
    case HOST_PORT_LAUNCH:
      return running() || status_ == HOST_PORT_STATUS_FAULTED ? Action::kRefused : Action::kLaunch;
    default: return Action::kRefused;
  }
}

void Registers::launched(base::Cycle now) {
  status_ = HOST_PORT_STATUS_RUNNING;
  start_ = now;
}

void Registers::ended(base::Cycle now, std::uint32_t exit_code) {
  status_ = HOST_PORT_STATUS_DONE;
  exit_code_ = exit_code;
  cycles_ = now - start_;
  pending_ = true;
}

void Registers::faulted(base::Cycle now, const protocol::GuestFault& fault) {
  status_ = HOST_PORT_STATUS_FAULTED;
  cycles_ = now - start_;
  pending_ = true;
  fault_.kind = static_cast<std::uint32_t>(fault.kind) + 1;
  fault_.pc = fault.origin.pc;
  fault_.address = fault.has_address ? static_cast<std::uint32_t>(fault.address) : 0;
  fault_.origin = std::uint32_t{fault.origin.core} << 16 | std::uint32_t{fault.origin.warp} << 8;
}

void Registers::machine_reset() {
  status_ = 0;
  exit_code_ = 0;
  fault_ = {};
  cycles_ = 0;
  pending_ = false;
}

void Registers::reset() {
  machine_reset();
  entry_ = 0;
  enabled_ = false;
}

}  // namespace spica::host_port
