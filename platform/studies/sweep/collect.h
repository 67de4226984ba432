// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "platform/studies/sweep/tasks.h"

namespace spica::sweep {

/// The result of collecting records.
struct Collected {
  std::uint64_t points = 0;
  std::map<State, std::uint64_t> states;  // of points
  std::uint64_t damaged = 0;  // lines that are not valid records
  std::map<std::string, std::uint64_t> of_other_models;  // ignored records, by model
};

/// Creates results.csv, results.sqlite and host.csv from the records in `folder`: a row for each point, including
/// failed and missing ones; with a column `model` if records of other models were accepted. With several runs of a
/// point, a value is their median, with NAME_min and NAME_max, and the state is that of the first run that is not ok.
/// The first two files do not depend on who wrote the records, nor on their order.
Collected collect(const Plan& plan, RunFingerprints& keys, const std::filesystem::path& folder);

}  // namespace spica::sweep
