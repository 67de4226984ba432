// SPDX-License-Identifier: Apache-2.0
// `spica train`: the model that chooses how many matrix products run at once, from tuned ones.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "platform/base/input/printable.h"
#include "platform/cli/commands.h"
#include "platform/cli/paths.h"
#include "platform/machine/loader/file.h"
#include "platform/machine/loader/user_error.h"
#include "platform/observe/report/number_format.h"
#include "platform/observe/report/text_table.h"
#include "platform/workloads/concurrent/kernel_library.h"
#include "platform/workloads/concurrent/model_file.h"
#include "platform/workloads/concurrent/training.h"

namespace spica::cli {

namespace {

using protocol::degree_of;
using protocol::kDegrees;

concurrent::TrainingSample sample_of(const concurrent::TunedProduct& product) {
  concurrent::TrainingSample sample;
  const workloads::GemmSize& size = product.name.size;
  sample.features = protocol::ConcurrencyModel::features(size.m, size.n, size.k, product.loads);
  sample.degree = product.best_degree();
  for (unsigned i = 0; i < kDegrees; ++i) sample.speedup[i] = product.speedup(i);
  return sample;
}

void print(const concurrent::Training& training) {
  using Align = report::TextTable::Align;
  report::TextTable table({{"available", Align::kRight},
                           {"training: right", Align::kRight},
                           {"speed of best", Align::kRight},
                           {"test: right", Align::kRight},
                           {"speed of best", Align::kRight}});
  for (unsigned i = 1; i < kDegrees; ++i) {
    std::vector<std::string> row{std::to_string(degree_of(i))};
    for (const concurrent::Accuracy* part : {&training.training, &training.test})
      for (const double value : {part->right[i], part->of_best[i]})
        row.push_back(part->samples == 0 ? "-" : report::percent(value));
    table.add(row);
  }
  fmt::print("{} products for training, {} for the test\n\n{}", training.training.samples,
             training.test.samples, table.text());
}

struct TrainOptions {
  std::vector<std::string> libraries;
  std::string out = "weights.json";
  concurrent::TrainingOptions training;
};

int run_train(const TrainOptions& options) {
  std::vector<concurrent::TrainingSample> samples;
  for (const std::string& file : options.libraries)
    for (const concurrent::TunedProduct& product : concurrent::read_library(places().library(file)).products)
      samples.push_back(sample_of(product));
  if (samples.size() < 2) throw loader::UserError("a model needs at least two products to be trained with");
  const concurrent::Training training = concurrent::train(samples, options.training);
  loader::write_text(options.out, concurrent::to_json(training.model).dump(1) + "\n");
  print(training);
  fmt::print("\nwritten: {}\n", input::printable(options.out));
  return 0;
}

void options_of_train(Command& command) {
  auto options = std::make_shared<TrainOptions>();
  command.option("LIBRARY", options->libraries, "libraries of spica tune").required().repeats();
  command.option("--out", options->out, "file for the weights").shows_default();
  command.option("--seed", options->training.seed, "seed of the choice of test products (a tenth of all)")
      .shows_default();
  command.action([options](const std::vector<std::string>&) { return run_train(*options); });
}

}  // namespace

void add_train_command(CommandLine& line) {
  line.add("train", "train the model that chooses the number of concurrent products", options_of_train);
}

}  // namespace spica::cli
