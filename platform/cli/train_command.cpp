// SPDX-License-Identifier: Apache-2.0
// `spica train`: the model that chooses how many matrix products run at once, from tuned ones.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "platform/base/input/file.h"
#include "platform/base/input/printable.h"
#include "platform/base/input/user_error.h"
#include "platform/cli/commands.h"
#include "platform/cli/paths.h"
#include "platform/workloads/concurrent/kernel_library.h"
#include "platform/workloads/concurrent/model_file.h"
#include "platform/workloads/concurrent/training.h"

namespace spica::cli {

namespace {

struct TrainOptions {
  std::vector<std::string> libraries;
  std::string out = "weights.json";
  concurrent::TrainingOptions training;
};

int run_train(const TrainOptions& options) {
  std::vector<concurrent::TrainingSample> samples;
  for (const std::string& file : options.libraries)
    for (const concurrent::TunedProduct& product : concurrent::read_library(places().library(file)).products)
      samples.push_back(concurrent::sample_of(product));
  if (samples.size() < 2) throw input::UserError("training a model needs at least two products");
  const concurrent::Training training = concurrent::train(samples, options.training);
  input::write_text(options.out, concurrent::to_json(training.model).dump(1) + "\n");
  fmt::print("{}", concurrent::text_of(training));
  fmt::print("\nwritten: {}\n", input::printable(options.out));
  return 0;
}

void options_of_train(Command& command) {
  auto options = std::make_shared<TrainOptions>();
  command.option("LIBRARY", options->libraries, "libraries of spica tune").required().repeats();
  command.option("--out", options->out, "file for the weights").shows_default();
  command.option("--seed", options->training.seed, "seed of the choice of test products").shows_default();
  command
      .option("--test-share", options->training.test_share, "share of the products that is kept for the test")
      .between(0.0, 0.9)
      .shows_default();
  command.action([options](const std::vector<std::string>&) { return run_train(*options); });
}

}  // namespace

void add_train_command(CommandLine& line) {
  line.add("train", "train the model that chooses the number of concurrent products", options_of_train);
}

}  // namespace spica::cli
