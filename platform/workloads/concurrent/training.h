// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "models/protocol/host_queues/concurrency_model.h"

namespace spica::concurrent {

/// The features of a product, and its fastest degree of concurrency.
struct TrainingSample {
  protocol::ConcurrencyModel::Features features{};
  unsigned degree = 0;  // degree index
  /// Products per cycle at each degree, relative to sequential products.
  std::array<double, protocol::kDegrees> speedup{};
};

struct TunedProduct;
TrainingSample sample_of(const TunedProduct& product);

struct TrainingOptions {
  std::uint64_t seed = 1;  // seed of the split into training and test set
  double test_share = 0.1;
  unsigned iterations = 3000;
  double rate = 0.5, l2 = 1e-3;
};

/// For a set, with N products available: how often the model chooses the best degree up to that number, and the
/// speed-up with its choice relative to the best.
struct Accuracy {
  std::array<double, protocol::kDegrees> right{}, of_best{};
  std::size_t samples = 0;
};

struct Training {
  protocol::ConcurrencyModel model;
  Accuracy training, test;
};

/// Multinomial logistic regression by gradient descent from zero weights; deterministic for the same samples. Features
/// are scaled by the training set alone. With fewer than ten samples there is no test set.
///
/// Source   arXiv:2409.02227 section 4.3 (90 % of the products for training)
Training train(const std::vector<TrainingSample>& samples, const TrainingOptions& options = {});

/// The accuracies as a table.
std::string text_of(const Training& training);

}  // namespace spica::concurrent
