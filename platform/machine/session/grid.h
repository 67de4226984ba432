// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "models/protocol/host_queues/work_group.h"
#include "platform/machine/loader/program.h"

namespace spica::soc {
struct SocParams;
}

namespace spica::session {

/// A request to run a kernel of a program as a grid of work groups; extents are X, XxY or XxYxZ.
struct GridRequest {
  std::string kernel;  // name of the kernel; empty: the only one
  std::string grid;    // work groups
  std::string block;   // threads of a work group; empty: as declared by the kernel
  std::uint64_t shared_bytes = 0;  // shared memory of a work group, in addition to the kernel's own

  bool empty() const { return kernel.empty() && grid.empty() && block.empty() && shared_bytes == 0; }
};

/// The launch for a request; empty if the program has a main() and nothing is requested. Throws UserError: unknown
/// kernel, a machine without a dispatcher, work groups that no cluster can run.
std::optional<protocol::GridLaunch> grid_launch(const GridRequest& request, const loader::Program& program,
                                                const soc::SocParams& params);

}  // namespace spica::session
