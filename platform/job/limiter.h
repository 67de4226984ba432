// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace spica::soc {
class Soc;
}

namespace spica::job {

/// One sentence that says what a finished run was limited by, from the cycle accounts of its timed region: how much of the time
/// the unit that does the arithmetic worked, and what it waited for most.
std::string limiter(soc::Soc& soc);

/// What the reasons of the accounts wait for, in words: {"barrier", "other warps at a barrier"}.
using ReasonMeaning = std::pair<std::string_view, std::string_view>;
const std::vector<ReasonMeaning>& reason_meanings();

}  // namespace spica::job
