// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace spica::sample {

/// What a sampled run is to reach, and what it may cost.
struct SampleOptions {
  double error = 0.01;  // half width of the interval, relative to the estimate; 0: all is simulated
  double confidence = 0.95;
  double most = 0.5;  // largest share of the work groups to simulate
  std::uint64_t seed = 1;

  /// True: nothing is left out.
  bool whole() const { return error == 0; }
};

/// Reads "error=1%,confidence=95%,max=50%,seed=1", in any order, or "auto" for these defaults. Throws UserError.
SampleOptions parse_sample(const std::string& text);

}  // namespace spica::sample
