// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "platform/session/session.h"

namespace spica::api {

/// All numbers that the machine counts, as of now, with the names they have in stats.json: counters "<block>.<counter>", cycle
/// accounts "<block>.<account>" and "<block>.<account>.<reason>". In the fast mode blocks count nothing.
std::vector<std::pair<std::string, std::uint64_t>> statistics(session::Session& session);

}  // namespace spica::api
