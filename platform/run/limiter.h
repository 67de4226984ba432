// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "platform/soc/soc.h"

namespace spica::run {

/// One sentence that says what a finished run was limited by, from the cycle accounts of its timed region: how much of the time
/// the unit that does the arithmetic worked, and what it waited for most.
std::string limiter(soc::Soc& soc);

}  // namespace spica::run
