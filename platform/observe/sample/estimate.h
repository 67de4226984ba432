// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "platform/observe/sample/strata.h"

namespace spica::sample {

/// What was measured in a stratum: the mean of one unit or of two neighbours.
struct Observed {
  double mean = 0;
  unsigned units = 1;  // of the stratum
};

/// The sum over all units, estimated from a sample.
struct Estimate {
  double total = 0;
  double half_width = 0;  // of the interval for sampling errors
  std::vector<double> variances;  // contribution of each stratum to the variance of `total`
};

/// Estimates the sum over all units. The variance of a stratum with one observation is taken from the differences to
/// its neighbours (successive differences, Wolter: Introduction to Variance Estimation, 8.2). A trend or a step between
/// strata makes it larger, never smaller. Strata that were observed wholly contribute none.
///
/// `observed`: by stratum. The interval is that of Student's t with the effective number of differences.
Estimate estimate(const std::vector<Stratum>& strata, const std::vector<Observed>& observed,
                  double confidence);

/// The strata to halve for a half width of at most `wanted`: those with the largest contributions, largest first.
std::vector<std::size_t> strata_to_split(const std::vector<Stratum>& strata, const Estimate& estimate,
                                         double wanted);

/// A mean of differences, and its standard error.
struct Bias {
  double mean = 0, error = 0;
};
/// The mean without the tenth with the smallest and the tenth with the largest differences (Tukey and McLaughlin).
Bias mean_difference(std::vector<double> differences);

}  // namespace spica::sample
