// SPDX-License-Identifier: Apache-2.0
// What the end of a run looks like from outside: progress, marked regions, and who waits for what.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "models/base/types.h"
#include "platform/loader/source_map.h"
#include "platform/report/warp_table.h"
#include "platform/run/session.h"
#include "platform/soc/soc.h"
#include "platform/watchdog/progress_monitor.h"

namespace spica::run {

/// A count that grows whenever a store is made or a unit moves or computes something.
std::uint64_t work_done(soc::Soc& soc);

/// All running warps with a hash of what each can tell apart.
std::vector<watchdog::ProgressMonitor::WarpState> warp_states(soc::Soc& soc);

/// All warps of the machine that run, for a table.
std::vector<report::WarpSnapshot> snapshot_warps(soc::Soc& soc);

/// The last trap of each warp that took one, calls left out: what a program that took care of its own faults
/// does not tell. "" when there is none.
std::string last_traps(soc::Soc& soc, const loader::SourceMap& sources);

/// Why a machine with running warps does not get on: the cause in the first sentence, then open barriers,
/// warps, and blocks with work in flight.
std::string explain_end(soc::Soc& soc, End end, const loader::SourceMap& sources);

}  // namespace spica::run
