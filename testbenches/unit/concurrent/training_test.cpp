// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/concurrent/training.h"

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "platform/workloads/concurrent/model_file.h"
#include "testbenches/support/catch.h"

using namespace spica::concurrent;
using spica::protocol::ConcurrencyModel;
using spica::protocol::kDegrees;

namespace {

/// One degree for each fifth of the first feature; the others are constant but for one that says nothing.
std::vector<TrainingSample> separable(unsigned count) {
  std::vector<TrainingSample> samples;
  for (unsigned i = 0; i < count; ++i) {
    TrainingSample sample;
    sample.degree = i % kDegrees;
    sample.features.fill(3);
    for (unsigned degree = 0; degree < kDegrees; ++degree)
      sample.features[degree] = degree == sample.degree ? 100 : 10;
    sample.features[10] = static_cast<float>(i * 37 % 11);
    sample.speedup.fill(1);
    sample.speedup[sample.degree] = 2;
    samples.push_back(sample);
  }
  return samples;
}

}  // namespace

TEST_CASE("a set that can be told apart is told apart", "[concurrent]") {
  const Training training = train(separable(100));
  CHECK(training.training.samples == 90);
  CHECK(training.test.samples == 10);
  CHECK(training.training.right[kDegrees - 1] == 1);
  CHECK(training.test.right[kDegrees - 1] == 1);
  CHECK(training.test.of_best[kDegrees - 1] == 1);
}

TEST_CASE("training is the same each time, and constant features have no span", "[concurrent]") {
  const auto samples = separable(40);
  const Training first = train(samples), second = train(samples);
  CHECK(first.model.weights == second.model.weights);
  CHECK(first.model.span[ConcurrencyModel::kFeatures - 1] == 0);
  TrainingOptions other;
  other.seed = 2;
  CHECK(train(samples, other).model.weights != first.model.weights);
  CHECK(train({samples.begin(), samples.begin() + 5}).test.samples == 0);
}

TEST_CASE("weights are the same to the bit after a file", "[concurrent]") {
  const ConcurrencyModel model = train(separable(30)).model;
  const std::string file = (std::filesystem::temp_directory_path() / "spica_concurrent_model.json").string();
  std::ofstream(file) << to_json(model).dump();
  const ConcurrencyModel again = read_model(file);
  std::filesystem::remove(file);
  CHECK(again.weights == model.weights);
  CHECK(again.least == model.least);
  CHECK(again.span == model.span);
}
