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

/// All numbers that the machine counts, as of now, with the names they have in stats.json: counters
/// "<block>.<counter>", cycle accounts "<block>.<account>" and "<block>.<account>.<reason>". `soc`: the same machine in
/// the cycle mode; in the fast mode nullptr, and only foreign blocks count.
std::vector<std::pair<std::string, std::uint64_t>> statistics(soc::AssembledMachine& machine,
                                                              soc::MeasuredMachine* soc);
/// The one of that name. Throws Error.
std::uint64_t statistic(soc::AssembledMachine& machine, soc::MeasuredMachine* soc, const std::string& name);

}  // namespace spica::api
