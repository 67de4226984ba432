// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/protocol/host_queues/kernel_choice.h"

namespace spica::protocol {

/// The features of a kernel on a machine that the concurrency model uses.
struct KernelLoad {
  std::uint64_t groups = 0;  // work groups
  std::uint64_t occupancy = 0;  // work groups that a cluster holds at once
  double waves = 0;  // groups / (clusters * occupancy)
};
KernelLoad load_of(std::uint64_t groups, std::uint64_t occupancy, std::uint64_t clusters);

/// Predicts how many products of a kind should run concurrently: multinomial logistic regression over sizes and the
/// resource use of the kernel of each degree. P(degree) = exp(w(degree) . x) / sum of these over all degrees; x are the
/// features, scaled to 0..1 by the training set, and a constant 1.
///
/// Source   arXiv:2409.02227 section 4.3
struct ConcurrencyModel {
  static constexpr unsigned kFeatures =
      3 + 3 * kDegrees;  // m, n, k; groups, occupancy, waves for each degree
  using Features = std::array<float, kFeatures>;

  Features least{},
      span{};  // range in the training set: smallest value, and largest minus smallest; 0: constant, left out
  std::array<std::array<float, kFeatures + 1>, kDegrees>
      weights{};  // by index of the degree; the weight of the constant is last

  static Features features(std::uint32_t m, std::uint32_t n, std::uint32_t k,
                           const std::array<KernelLoad, kDegrees>& loads);
  /// w(degree) . x for each degree, in single precision, summed in the order of the features.
  std::array<float, kDegrees> scores(const Features& raw) const;
  /// The probability of each degree (softmax); the sum is 1.
  std::array<double, kDegrees> probabilities(const Features& raw) const;
  /// The index of the degree with the largest score; the smallest index of equals.
  unsigned best(const Features& raw) const;

  /// The layout in memory: least, span, weights of each degree, as 32-bit words with the bits of the numbers.
  static constexpr unsigned kWords = 2 * kFeatures + kDegrees * (kFeatures + 1), kBytes = 4 * kWords;
  std::vector<unsigned char> encode() const;
  static ConcurrencyModel decode(const unsigned char* bytes);
};

}  // namespace spica::protocol
