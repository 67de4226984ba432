// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "models/base/block_type.h"

namespace spica::soc {
class Soc;
}

namespace spica::job {

/// One sentence that says what a finished run was limited by, from the cycle accounts of its timed region: how much of the time
/// the blocks that did the work worked, and what they waited for most. "" when no block of the machine says so of itself.
std::string limiter(soc::Soc& soc);

/// What the reasons of all accounts wait for, in words. Where types of block differ, those that a run is rather limited
/// by come first.
const std::vector<base::Reason>& reason_meanings();

}  // namespace spica::job
