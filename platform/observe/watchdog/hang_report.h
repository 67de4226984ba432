// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "platform/base/json/value.h"
#include "platform/machine/loader/source_map.h"
#include "platform/observe/watchdog/wait_graph.h"

namespace spica::watchdog {

/// Names of places and addresses of this program on this machine.
Names names_of(const protocol::AddressMap& map, const loader::Program& program,
               const loader::SourceMap& sources);

/// "deadlock", "livelock", "impossible_configuration", "machine".
const char* kind_name(HangKind kind);

/// The cause in one sentence, and advice. Ends with a newline.
std::string cause_text(const HangCause& cause);

/// The graph as a table: one line per running warp with what it waits for; "" if no warp runs.
std::string graph_text(const WaitGraph& graph, const Names& names);

/// Both as JSON.
json::Value hang_json(const HangCause& cause, const WaitGraph& graph, const Names& names);

}  // namespace spica::watchdog
