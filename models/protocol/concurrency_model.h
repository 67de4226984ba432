// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/protocol/kernel_choice.h"

namespace spica::protocol {

/// What the concurrency model knows of a kernel on a machine.
struct KernelLoad {
  std::uint64_t groups = 0;  // work groups
  std::uint64_t occupancy = 0;  // of them that a cluster holds at once
  double waves = 0;  // groups / (clusters * occupancy)
};
KernelLoad load_of(std::uint64_t groups, std::uint64_t occupancy, std::uint64_t clusters);

/// How many products of a kind should run at once: multinomial logistic regression over sizes and what the kernels of
/// each degree ask of the machine. P(degree) = exp(w(degree) . x) / sum of these over all degrees, x the features
/// between 0 and 1 by the training set and a constant 1.
///
/// Source   arXiv:2409.02227 section 4.3
struct ConcurrencyModel {
  static constexpr unsigned kFeatures =
      3 + 3 * kDegrees;  // m, n, k; groups, occupancy, waves for each degree
  using Features = std::array<float, kFeatures>;

  Features least{},
      span{};  // of the training set: its smallest value, and largest minus smallest; 0: constant, left out
  std::array<std::array<float, kFeatures + 1>, kDegrees>
      weights{};  // by index of the degree, the constant's last

  static Features features(std::uint32_t m, std::uint32_t n, std::uint32_t k,
                           const std::array<KernelLoad, kDegrees>& loads);
  /// w(degree) . x, in the order of the features, in float.
  std::array<float, kDegrees> scores(const Features& raw) const;
  /// The probability of each degree (softmax); the sum is 1.
  std::array<double, kDegrees> probabilities(const Features& raw) const;
  /// The index of the degree with the largest score, the smallest of several.
  unsigned best(const Features& raw) const;

  /// As in memory: least, span, weights of each degree, as words with the bits of the numbers.
  static constexpr unsigned kWords = 2 * kFeatures + kDegrees * (kFeatures + 1), kBytes = 4 * kWords;
  std::vector<unsigned char> encode() const;
  static ConcurrencyModel decode(const unsigned char* bytes);
};

}  // namespace spica::protocol
