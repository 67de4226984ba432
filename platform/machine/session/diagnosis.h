// SPDX-License-Identifier: Apache-2.0
// What the end of a run looks like from outside, and who waits for what.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "models/protocol/origin.h"
#include "platform/base/json/value.h"
#include "platform/machine/loader/source_map.h"
#include "platform/machine/session/outcome.h"
#include "platform/machine/soc/machine.h"
#include "platform/observe/report/warp_table.h"

namespace spica::session {

/// All warps of the machine that run, for a table.
std::vector<report::WarpSnapshot> snapshot_warps(soc::Machine& machine);

/// The last trap of each warp that took one, calls left out: what a program that handled its own faults does
/// not show. "" when there is none.
std::string last_traps(soc::Machine& machine, const loader::SourceMap& sources);

/// A shape of machine for which a program's barriers would be complete; 0: nothing speaks for another one.
struct AskedShape {
  unsigned warps = 0;  // of a core: a barrier counts this many, more than there are
  unsigned cores =
      0;  // of a cluster: this many cores are at a barrier, and all warps of the others have ended
};

/// The report on a run that stopped without having ended.
struct EndReport {
  std::string text;
  AskedShape asked;
  std::optional<protocol::Origin>
      stuck;  // the warp to look at first, at the instruction where it waits; nothing: none runs
  json::Value json;  // null where only the cycle limit or a signal stopped it
};

/// Why a machine with running warps makes no progress: the cause in the first sentence, then what waits for what, and
/// the blocks with work in flight.
EndReport explain_end(soc::Machine& machine, const Outcome& outcome, const loader::Program& program,
                      const loader::SourceMap& sources);

}  // namespace spica::session
