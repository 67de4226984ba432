// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "platform/workloads/network/operators.h"

namespace spica::network {

/// The inputs of a network by tensor: from the arrays of a file, or random ones for those that it has not. Random numbers
/// are between -1 and 1, truth values 0 or 1; integers that are indices of a Gather are below the number of its rows, and
/// others 0 or 1. Throws UserError, all problems at once: an array that no input has the name of, another type or extents.
std::map<std::size_t, Constant> network_inputs(const Network& network,
                                               const std::map<std::string, Constant>& given,
                                               std::uint64_t seed);

}  // namespace spica::network
