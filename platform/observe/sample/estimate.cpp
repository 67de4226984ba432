// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/sample/estimate.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <numeric>
#include <utility>

namespace spica::sample {

namespace {

/// Variance of one observation of stratum `i`; 0 in a sample of one stratum.
double variance_of(const std::vector<Observed>& observed, std::size_t i) {
  double squares = 0;
  unsigned differences = 0;
  const auto add = [&](std::size_t j) {
    const double difference = observed[i].mean - observed[j].mean;
    squares += difference * difference / 2;
    ++differences;
  };
  if (i > 0) add(i - 1);
  if (i + 1 < observed.size()) add(i + 1);
  return differences == 0 ? 0 : squares / differences;
}

/// The mean with the neighbours, so that the choice of strata does not follow single draws.
std::vector<double> smoothed(const std::vector<double>& values) {
  constexpr std::size_t kReach = 3;
  std::vector<double> result;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t begin = i < kReach ? 0 : i - kReach, end = std::min(values.size(), i + kReach + 1);
    const auto at = [&](std::size_t j) { return values.begin() + static_cast<std::ptrdiff_t>(j); };
    result.push_back(std::accumulate(at(begin), at(end), 0.0) / static_cast<double>(end - begin));
  }
  return result;
}

}  // namespace

Estimate estimate(const std::vector<Stratum>& strata, const std::vector<Observed>& observed,
                  double confidence) {
  Estimate result;
  double variance = 0, squares = 0;
  for (std::size_t i = 0; i < strata.size(); ++i) {
    const auto size = static_cast<double>(strata[i].size());
    result.total += size * observed[i].mean;
    const double left = std::max(0.0, 1 - observed[i].units / size);
    const double one = size * size * variance_of(observed, i) * left;
    result.variances.push_back(one);
    variance += one;
    squares += one * one;
  }
  if (variance == 0) return result;
  // Neighbouring differences share an observation: about two of three are independent.
  const double freedom = std::max(1.0, 2.0 / 3.0 * variance * variance / squares);
  const boost::math::students_t distribution(freedom);
  result.half_width = boost::math::quantile(distribution, (1 + confidence) / 2) * std::sqrt(variance);
  return result;
}

std::vector<std::size_t> strata_to_split(const std::vector<Stratum>& strata, const Estimate& estimate,
                                         double wanted) {
  if (estimate.half_width <= wanted) return {};
  const double ratio = wanted / estimate.half_width;
  double variance = std::accumulate(estimate.variances.begin(), estimate.variances.end(), 0.0);
  const double goal = variance * ratio * ratio;
  const std::vector<double> smooth = smoothed(estimate.variances);
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < strata.size(); ++i)
    if (strata[i].size() > 1 && smooth[i] > goal / (2 * static_cast<double>(strata.size())))
      order.push_back(i);
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(-smooth[a], a) < std::pair(-smooth[b], b);
  });
  std::vector<std::size_t> which;
  for (const std::size_t i : order) {
    if (variance <= goal) break;
    which.push_back(i);
    variance -= smooth[i] / 2;
  }
  return which;
}

Bias mean_difference(std::vector<double> differences) {
  if (differences.empty()) return {};
  std::sort(differences.begin(), differences.end());
  const std::size_t trimmed = differences.size() < 5 ? 0 : (differences.size() + 9) / 10;
  const auto begin = differences.begin() + static_cast<std::ptrdiff_t>(trimmed),
             end = differences.end() - static_cast<std::ptrdiff_t>(trimmed);
  const auto count = static_cast<double>(end - begin);
  Bias bias;
  bias.mean = std::accumulate(begin, end, 0.0) / count;
  double squares = 0;  // of the winsorized sample
  for (const double difference : differences) {
    const double value = std::clamp(difference, *begin, *(end - 1)) - bias.mean;
    squares += value * value;
  }
  const auto all = static_cast<double>(differences.size());
  if (all > 1) bias.error = std::sqrt(squares / (all - 1) * all) / count;
  return bias;
}

}  // namespace spica::sample
