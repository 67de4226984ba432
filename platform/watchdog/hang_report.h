// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "platform/loader/source_map.h"
#include "platform/watchdog/wait_graph.h"

namespace spica::watchdog {

/// How places and addresses of this program on this machine read.
Names names_of(const protocol::AddressMap& map, const loader::Program& program, const loader::SourceMap& sources);

/// "deadlock", "livelock", "impossible_configuration", "machine".
const char* kind_name(HangKind kind);

/// The cause in one sentence, what would help, and the graph: a line per warp and per barrier, each with what it
/// waits for. Ends with a newline.
std::string hang_text(const HangCause& cause, const WaitGraph& graph, const Names& names);

/// The same for programs.
nlohmann::ordered_json hang_json(const HangCause& cause, const WaitGraph& graph, const Names& names);

}  // namespace spica::watchdog
