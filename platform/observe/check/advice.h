// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "platform/observe/check/finding.h"

namespace spica::check {

/// How far the program already orders the two sides.
enum class Relation : std::uint8_t {
  kNone,           // not at all
  kFenceMissing,   // the second comes after the first, but the first may still be under way
  kBehindCommand,  // the second comes after the command of which the first is a part
};

/// What would order the two sides of a finding. `first_wrote`: what the first did to the memory.
/// `barrier_waits`: the machine's barriers wait for memory accesses. `unit_wait`: UnitRules::wait().
std::string advice(const Finding& finding, bool first_wrote, Relation relation, bool barrier_waits,
                   std::string_view unit_wait);

}  // namespace spica::check
