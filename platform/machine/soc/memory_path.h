// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platform/machine/soc/soc_params.h"

namespace spica::soc {

/// A step of the way from the clusters to main memory.
struct PathStep {
  std::string name;
  std::uint64_t count = 1;
  double bytes_each = 0;  // read per cycle of the clusters
  /// Largest load over the mean load of one of them, where consecutive addresses are read.
  double imbalance = 1;
  std::string note;

  double bytes() const { return bytes_each * static_cast<double>(count) / imbalance; }
};

/// The steps with known bandwidth: level 1 data caches, ports or bus, level 2 cache, main memory.
std::vector<PathStep> memory_path(const SocParams& params);
/// The same as a table that marks the narrowest step.
std::string memory_path_text(const SocParams& params);

}  // namespace spica::soc
