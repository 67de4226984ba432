// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace spica::soc {
class AssembledMachine;
class MeasuredMachine;
}  // namespace spica::soc

namespace spica::api {

/// The current values of all statistics by their names in stats.json: counters "<block>.<counter>", cycle accounts
/// "<block>.<account>" and "<block>.<account>.<reason>". `soc`: the same machine in the cycle mode; nullptr in the fast
/// mode, in which only user-supplied blocks count.
std::vector<std::pair<std::string, std::uint64_t>> statistics(soc::AssembledMachine& machine,
                                                              soc::MeasuredMachine* soc);
/// The statistic with that name. Throws Error.
std::uint64_t statistic(soc::AssembledMachine& machine, soc::MeasuredMachine* soc, const std::string& name);

}  // namespace spica::api
