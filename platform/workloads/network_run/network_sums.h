// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "platform/base/json/value.h"

namespace spica::network {

/// Sums over records of operators: {operators, cycles, share, multiply_adds, dram_bytes, energy_uj}; the last two where the
/// records have them. `cycles`: what a share is of.
json::Value sums_by_type(const json::Value& records, std::uint64_t cycles);

/// The same by group of node names: [{name, depth, ...}] in order, a group in front of its parts. The name of a node ends at
/// its last '/', "/layer.0/attn" is the group of "/layer.0/attn/MatMul". Empty: no name has a group.
json::Value sums_by_layer(const json::Value& records, std::uint64_t cycles);

/// Tables of these sums; by type, the largest share first; of layers down to the first level with numbers.
std::string type_table(const json::Value& sums);
std::string layer_table(const json::Value& sums);

}  // namespace spica::network
