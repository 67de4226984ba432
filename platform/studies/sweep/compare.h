// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "platform/studies/sweep/results.h"
#include "platform/studies/sweep/sweep_file.h"

namespace spica::sweep {

/// One value that two results of a point do not have in common.
struct Difference {
  std::string point;   // "design tc, size 64x64x64"
  std::string column;
  config::Operand before, after;
  double relative = 0;  // of numbers: (after - before) / |before|; else infinite
};

struct Comparison {
  std::vector<Difference> differences;  // the largest first
  std::vector<std::string> only_before, only_after;  // points
  std::size_t compared = 0;                          // points
};

/// Compares results of points that have the same values of all axes of `sweep`. Numbers may differ by the part
/// `tolerance`. Throws UserError when a table lacks an axis.
Comparison compare(const Sweep& sweep, const Rows& before, const Rows& after, double tolerance);

}  // namespace spica::sweep
