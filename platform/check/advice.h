// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "platform/check/finding.h"

namespace spica::check {

/// What would order the two sides of a finding. `first_wrote`: what the first did; `fence_missing`: the program
/// does synchronise between them, but a store of the first may still be under way then.
std::string advice(const Finding& finding, bool first_wrote, bool fence_missing);

}  // namespace spica::check
