// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "models/host_port/host_port.h"
#include "models/host_port/pointed_target.h"
#include "models/protocol/hosted_if.h"
#include "platform/soc/machine.h"

namespace spica::soc {

/// What a machine is built from: `params` with all that follows from host.present, and from a clock period that is given
/// in place of clock_mhz. SC_ZERO_TIME: none is.
SocParams completed(const SocParams& params, const sc_core::sc_time& period);
/// The clock period of a machine; `period` as above.
sc_core::sc_time clock_period(const SocParams& params, const sc_core::sc_time& period);

/// The host port of a machine, and the machine as the port sees it. The machine binds what is behind the port.
class HostEdge final : private protocol::HostedIf {
 public:
  /// `clock`: of the machine, to which the port is added behind all other blocks.
  HostEdge(Machine& machine, const base::ClockDomain& clock, host_port::HostPort::Behind behind);

  host_port::HostPort port;

  /// Fast mode: global memory, then shared memory of each cluster, in order.
  void bind_global(const protocol::PointedMemory& memory, const base::ClockDomain& clock);
  void bind_shared(unsigned cluster, const protocol::PointedMemory& memory, const base::ClockDomain& clock);

 private:
  void launch(std::uint32_t entry) override { machine_.launch(entry); }
  void reset() override { machine_.reset(); }
  void halt() override { machine_.halt(); }
  base::Cycle ended() const override { return machine_.ended(); }
  base::Cycle look_again() const override { return machine_.look_again(); }
  std::uint32_t exit_code() const override { return machine_.warp_view(0, 0).registers->row(3)[0]; }

  Machine& machine_;
  std::vector<std::unique_ptr<host_port::PointedTarget>> fronts_;
};

}  // namespace spica::soc
