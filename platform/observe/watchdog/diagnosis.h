// SPDX-License-Identifier: Apache-2.0
// Explains the end of a run, and which warp waits for what.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "models/protocol/payload/origin.h"
#include "platform/base/json/value.h"
#include "platform/machine/loader/source_map.h"
#include "platform/machine/session/outcome.h"
#include "platform/machine/soc/machine.h"
#include "platform/observe/report/warp_table.h"
#include "platform/observe/watchdog/spin_recorder.h"

namespace spica::watchdog {

/// All running warps of the machine, for a table.
std::vector<report::WarpSnapshot> snapshot_warps(soc::Machine& machine);

/// The last trap of each warp that took one, except calls: faults that a program handled itself. "" if there is none.
std::string last_traps(soc::Machine& machine, const loader::SourceMap& sources);

/// A machine shape with which the program's barriers would complete; 0: no sign of another shape.
struct AskedShape {
  unsigned warps = 0;  // warps of a core: the count of a barrier that exceeds the existing warps
  unsigned cores =
      0;  // cores of a cluster: number of cores waiting at a barrier, when all warps of the others have ended
};

/// The report on a run that stopped before its end.
struct EndReport {
  std::string text;
  AskedShape asked;
  std::optional<protocol::Origin>
      stuck;  // the warp to examine first, at the instruction where it waits; empty: none is running
  json::Value json;  // null if only the cycle limit or a signal stopped it
};

/// Explains why a machine with running warps makes no progress: the cause in the first sentence, then the waits-for
/// relations and the blocks with work in progress. `activity`: HangWatch::activity().
EndReport explain_end(soc::Machine& machine, const session::Outcome& outcome,
                      const std::vector<WarpActivity>& activity, const loader::Program& program,
                      const loader::SourceMap& sources);

}  // namespace spica::watchdog
