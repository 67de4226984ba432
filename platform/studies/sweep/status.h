// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "platform/studies/sweep/open_sweep.h"

namespace spica::sweep {

/// The state of each point, without a table.
struct Status {
  std::map<State, std::uint64_t> states;  // of runs
  std::map<std::string, std::map<std::string, std::map<State, std::uint64_t>>> by_axis;
  std::map<std::string, std::uint64_t> reasons;
  std::uint64_t damaged = 0;
  std::map<std::string, std::uint64_t> of_other_models;
  double cpu_seconds = 0;
};

/// Reads the records of the sweep.
Status status_of(const OpenSweep& open);

}  // namespace spica::sweep
