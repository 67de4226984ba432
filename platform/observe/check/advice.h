// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "platform/observe/check/finding.h"

namespace spica::check {

/// How far the program already orders the two sides of a finding.
enum class Relation : std::uint8_t {
  kNone,           // not at all
  kFenceMissing,   // the second comes after the first, but the first may not have completed
  kBehindCommand,  // the second comes after the command to which the first belongs
};

/// A sentence with the operation that would order the two sides. `first_wrote`: accesses of the first side.
/// `barrier_waits`: the machine's barriers wait for memory accesses. `unit_wait`: UnitRules::wait().
std::string advice(const Finding& finding, bool first_wrote, Relation relation, bool barrier_waits,
                   std::string_view unit_wait);

/// The same for two accesses of work items of an OpenCL kernel, in the words of OpenCL.
std::string opencl_advice(const Finding& finding, Relation relation);

}  // namespace spica::check
