// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/concurrent/training.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <string>

#include "platform/base/text/number_format.h"
#include "platform/observe/report/text_table.h"
#include "platform/workloads/concurrent/kernel_library.h"

namespace spica::concurrent {

using protocol::ConcurrencyModel;
using protocol::kDegrees;

namespace {

constexpr unsigned kFeatures = ConcurrencyModel::kFeatures;
using Samples = std::vector<const TrainingSample*>;

void scale(ConcurrencyModel& model, const Samples& samples) {
  for (unsigned i = 0; i < kFeatures; ++i) {
    const auto [least, most] =
        std::minmax_element(samples.begin(), samples.end(),
                            [i](const auto* a, const auto* b) { return a->features[i] < b->features[i]; });
    model.least[i] = (*least)->features[i];
    model.span[i] = (*most)->features[i] - model.least[i];
  }
}

ConcurrencyModel fit(const Samples& samples, const TrainingOptions& options) {
  ConcurrencyModel model;
  if (samples.empty()) return model;
  scale(model, samples);
  std::array<std::array<double, kFeatures + 1>, kDegrees> weights{};
  for (unsigned iteration = 0; iteration < options.iterations; ++iteration) {
    std::array<std::array<double, kFeatures + 1>, kDegrees> gradient{};
    for (const TrainingSample* sample : samples) {
      const auto probabilities = model.probabilities(sample->features);
      for (unsigned degree = 0; degree < kDegrees; ++degree) {
        const double error = probabilities[degree] - (degree == sample->degree ? 1 : 0);
        for (unsigned i = 0; i < kFeatures; ++i)
          if (model.span[i] != 0)
            gradient[degree][i] += error * (sample->features[i] - model.least[i]) / model.span[i];
        gradient[degree][kFeatures] += error;
      }
    }
    for (unsigned degree = 0; degree < kDegrees; ++degree)
      for (unsigned i = 0; i <= kFeatures; ++i) {
        double& weight = weights[degree][i];
        const double pull = i == kFeatures ? 0 : options.l2 * weight;
        weight -= options.rate * (gradient[degree][i] / static_cast<double>(samples.size()) + pull);
        model.weights[degree][i] = static_cast<float>(weight);
      }
  }
  return model;
}

Accuracy accuracy(const ConcurrencyModel& model, const Samples& samples) {
  Accuracy result;
  result.samples = samples.size();
  if (samples.empty()) return result;
  for (unsigned most = 0; most < kDegrees; ++most) {
    for (const TrainingSample* sample : samples) {
      const unsigned said = std::min(most, model.best(sample->features));
      const double best = *std::max_element(sample->speedup.begin(), sample->speedup.begin() + most + 1);
      result.right[most] += sample->speedup[said] == best ? 1 : 0;
      result.of_best[most] += sample->speedup[said] / best;
    }
    result.right[most] /= static_cast<double>(samples.size());
    result.of_best[most] /= static_cast<double>(samples.size());
  }
  return result;
}

}  // namespace

Training train(const std::vector<TrainingSample>& samples, const TrainingOptions& options) {
  Samples order;
  for (const TrainingSample& sample : samples) order.push_back(&sample);
  std::mt19937_64 random(options.seed);
  for (std::size_t i = order.size(); i > 1; --i)  // std::shuffle is another one in each library
    std::swap(order[i - 1], order[random() % i]);
  const auto tests = static_cast<std::size_t>(options.test_share * static_cast<double>(order.size()));
  const Samples test(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(tests));
  const Samples training(order.begin() + static_cast<std::ptrdiff_t>(tests), order.end());
  Training result;
  result.model = fit(training, options);
  result.training = accuracy(result.model, training);
  result.test = accuracy(result.model, test);
  return result;
}

TrainingSample sample_of(const TunedProduct& product) {
  TrainingSample sample;
  const workloads::GemmSize& size = product.name.size;
  sample.features = protocol::ConcurrencyModel::features(size.m, size.n, size.k, product.loads);
  sample.degree = product.best_degree();
  for (unsigned i = 0; i < protocol::kDegrees; ++i) sample.speedup[i] = product.speedup(i);
  return sample;
}

std::string text_of(const Training& training) {
  using Align = report::TextTable::Align;
  report::TextTable table({{"available", Align::kRight},
                           {"training: right", Align::kRight},
                           {"speed of best", Align::kRight},
                           {"test: right", Align::kRight},
                           {"speed of best", Align::kRight}});
  for (unsigned i = 1; i < protocol::kDegrees; ++i) {
    std::vector<std::string> row{std::to_string(protocol::degree_of(i))};
    for (const Accuracy* part : {&training.training, &training.test})
      for (const double value : {part->right[i], part->of_best[i]})
        row.push_back(part->samples == 0 ? "-" : text::percent(value));
    table.add(row);
  }
  return fmt::format("{} products for training, {} for the test\n\n{}", training.training.samples,
                     training.test.samples, table.text());
}

}  // namespace spica::concurrent
