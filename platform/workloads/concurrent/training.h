// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "models/protocol/concurrency_model.h"

namespace spica::concurrent {

/// What a product asks of the machine, and how many of it at once are fastest.
struct TrainingSample {
  protocol::ConcurrencyModel::Features features{};
  unsigned degree = 0;  // index
  /// Products per cycle at each degree, against one after the other.
  std::array<double, protocol::kDegrees> speedup{};
};

struct TunedProduct;
TrainingSample sample_of(const TunedProduct& product);

struct TrainingOptions {
  std::uint64_t seed = 1;  // of the split
  double test_share = 0.1;
  unsigned iterations = 3000;
  double rate = 0.5, l2 = 1e-3;
};

/// Of a set, when N products are available: how often the model says the degree that is best of those up to that
/// number, and the speed-up with what it says against that of the best.
struct Accuracy {
  std::array<double, protocol::kDegrees> right{}, of_best{};
  std::size_t samples = 0;
};

struct Training {
  protocol::ConcurrencyModel model;
  Accuracy training, test;
};

/// Multinomial logistic regression by gradient descent from weights of zero: the same weights for the same samples.
/// Features are scaled by the training set alone. Of fewer than ten samples none is for the test.
///
/// Source   arXiv:2409.02227 section 4.3 (90 % of the products for training)
Training train(const std::vector<TrainingSample>& samples, const TrainingOptions& options = {});

/// Accuracies as a table, for people.
std::string text_of(const Training& training);

}  // namespace spica::concurrent
