// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "models/base/types.h"
#include "models/host_port/host_port_params.h"
#include "models/protocol/ports/fault_if.h"

namespace spica::host_port {

/// The registers of the port (host_port_regs.h), and its interrupt. Without a clock: callers pass the time.
class Registers {
 public:
  enum class Action : std::uint8_t { kNone, kLaunch, kReset, kRefused };

  explicit Registers(const HostPortParams& params)
      : cores_(static_cast<std::uint32_t>(params.cores)),
        clusters_(static_cast<std::uint32_t>(params.clusters)) {}

  /// Reads the register at `offset`, without side effects; empty: no readable register.
  std::optional<std::uint32_t> read(std::uint64_t offset, base::Cycle now) const;
  /// Writes a register; returns the action that the port must take.
  Action write(std::uint64_t offset, std::uint32_t value);

  void launched(base::Cycle now);
  void ended(base::Cycle now, std::uint32_t exit_code);
  void faulted(base::Cycle now, const protocol::GuestFault& fault);
  /// Reset requested through a register: settings of the host are kept.
  void machine_reset();
  /// Reset to the initial state.
  void reset();

  bool running() const { return status_ == HOST_PORT_STATUS_RUNNING; }
  std::uint32_t status() const { return status_; }
  std::uint32_t entry() const { return entry_; }
  bool interrupts() const { return pending_ && enabled_; }

 private:
  struct Fault {
    std::uint32_t kind = 0, pc = 0, address = 0, origin = 0;
  };

  const std::uint32_t cores_, clusters_;
  std::uint32_t status_ = 0;
  std::uint32_t entry_ = 0;
  std::uint32_t exit_code_ = 0;
  Fault fault_;
  base::Cycle start_ = 0, cycles_ = 0;  // cycles_: of the last launch, once it is over
  bool enabled_ = false, pending_ = false;
};

}  // namespace spica::host_port
