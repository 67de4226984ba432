// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "platform/studies/sweep/results.h"
#include "platform/studies/sweep/sweep_file.h"

namespace spica::sweep {

/// One difference between two results of a point.
struct Difference {
  std::string point;   // "design tc, size 64x64x64"
  std::string column;
  config::Operand before, after;
  double relative = 0;  // for numbers (after - before) / |before|; else infinite
};

struct Comparison {
  std::vector<Difference> differences;  // largest first
  std::vector<std::string> only_before, only_after;  // points
  std::size_t compared = 0;                          // number of points
};

/// Compares results of points with equal values of all axes of `sweep`. `tolerance`: allowed relative difference of
/// numbers. Throws UserError if a table lacks an axis.
Comparison compare(const Sweep& sweep, const Rows& before, const Rows& after, double tolerance);

}  // namespace spica::sweep
