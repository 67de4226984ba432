// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "models/protocol/work_group.h"
#include "platform/job/job_options.h"
#include "platform/loader/program.h"

namespace spica::soc {
struct SocParams;
}

namespace spica::job {

/// The launch that --kernel, --grid and --block ask for; nothing: the program has a main(), and none of them is given.
/// Throws UserError: no such kernel, a machine without a dispatcher, work groups that no cluster can run.
std::optional<protocol::GridLaunch> grid_launch(const JobOptions& options, const loader::Program& program,
                                                const soc::SocParams& params);

}  // namespace spica::job
