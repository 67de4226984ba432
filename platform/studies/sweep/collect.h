// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "platform/studies/sweep/tasks.h"

namespace spica::sweep {

/// What collecting found.
struct Collected {
  std::uint64_t points = 0;
  std::map<State, std::uint64_t> states;  // of points
  std::uint64_t damaged = 0;  // lines that are not records
  std::map<std::string, std::uint64_t> of_other_models;  // records that do not count, by model
};

/// Makes results.csv, results.sqlite and host.csv of the records in `folder`: a row for each point, also those that
/// failed or are missing; with a column `model` when records of other models were accepted. With several runs of a
/// point a value is their median, NAME_min and NAME_max are next to it, and the state is that of the first run that is
/// not ok. The first two files are the same bytes whoever wrote the records, in whatever order.
Collected collect(const Plan& plan, PointKeys& keys, const std::filesystem::path& folder);

}  // namespace spica::sweep
