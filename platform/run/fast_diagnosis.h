// SPDX-License-Identifier: Apache-2.0
// What the end of a run in the fast mode looks like from outside; see diagnosis.h.
#pragma once

#include <string>
#include <vector>

#include "platform/loader/source_map.h"
#include "platform/report/warp_table.h"
#include "platform/run/diagnosis.h"
#include "platform/run/session.h"
#include "platform/soc/fast_soc.h"

namespace spica::run {

/// All warps of the machine that run, for a table.
std::vector<report::WarpSnapshot> snapshot_warps(soc::FastSoc& soc);

/// The last trap of each warp that took one, calls left out. "" when there is none.
std::string last_traps(soc::FastSoc& soc, const loader::SourceMap& sources);

/// Why a machine with running warps does not get on: the cause in the first sentence, then who waits for whom.
EndReport explain_end(soc::FastSoc& soc, const Outcome& outcome, const loader::Program& program,
                      const loader::SourceMap& sources);

}  // namespace spica::run
