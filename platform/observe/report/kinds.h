// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "models/base/stat_window.h"
#include "platform/base/json/value.h"
#include "platform/observe/report/statistics.h"

namespace spica::report {

/// Blocks whose names differ in numbers only, "cluster_3.core_0" and "cluster_4.core_1", are one kind: "cluster.core".
/// {kind: {blocks: how many, spread: {counter: spread, account: {reason: spread}}}} of each kind with several blocks,
/// in the order of their first blocks. A spread is {sum, mean, min, max, largest: the first block with the maximum},
/// in the unit of the statistic, counted in the region if there is one. Of statistics that all blocks of the kind have, and
/// without accounts that a block has several of. Settle the accounts first.
json::Value kinds_json(const std::vector<NamedStats>& groups, const base::StatWindow* region = nullptr);

}  // namespace spica::report
