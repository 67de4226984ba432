// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>

#include "testbenches/support/samples.h"

namespace spica::testbench {

/// How many dot products a test draws: SPICA_SUMS, or `standard`, of which sanitizers try a tenth.
inline unsigned draws(unsigned standard) {
  const char* const asked = std::getenv("SPICA_SUMS");
  return asked != nullptr ? static_cast<unsigned>(std::atoi(asked)) : samples(standard);
}

}  // namespace spica::testbench
