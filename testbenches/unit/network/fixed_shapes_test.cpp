// SPDX-License-Identifier: Apache-2.0
#include "testbenches/support/catch.h"
#include "testbenches/unit/network/network_run.h"

using namespace spica;
using testbench::ModelWriter;
using testbench::refused;

namespace {

ModelWriter two_inputs() {
  ModelWriter model;
  model.input("ids", {"batch", "sequence"}).input("mask", {"batch", "sequence", 4});
  return model.node("i = Abs ids").node("m = Abs mask").output("i").output("m");
}

network::Extents extents_of(const network::Network& network, std::size_t input) {
  return network.inputs.at(input).operand.extents;
}

}  // namespace

TEST_CASE("symbols and shapes set the extents of inputs") {
  network::Network network = testbench::load(two_inputs(), {{}, {"batch=2", "sequence=3"}});
  CHECK(extents_of(network, 0) == network::Extents{2, 3});
  CHECK(extents_of(network, 1) == network::Extents{2, 3, 4});
  network = testbench::load(two_inputs(), {{"ids=5x6"}, {}});  // also sets the symbols of the mask
  CHECK(extents_of(network, 1) == network::Extents{5, 6, 4});
}

TEST_CASE("extents that are not set are listed together") {
  ModelWriter model = two_inputs();
  model.input("p", {"past", 0}).node("q = Abs p").output("q");
  CHECK_THAT(refused(model), Catch::Contains("extents are not set: batch, past, sequence") &&
                                 Catch::Contains("--symbol batch=N") &&
                                 Catch::Contains("--shape INPUT=EXTENTS"));
  CHECK_THAT(refused(model, {{}, {"batch=1", "past=0"}}), Catch::Contains("extents are not set: sequence;"));
}

TEST_CASE("wrong shapes and symbols are reported with what the model has, all at once") {
  const std::string text =
      refused(two_inputs(), {{"idz=1x2", "mask=2x3x5", "ids=axb"}, {"batch=1", "heads=2", "batch=x"}});
  using Catch::Contains;
  CHECK_THAT(text, Contains("--shape idz=1x2: unknown input; inputs of the model: ids, mask"));
  CHECK_THAT(text, Contains("--shape mask=2x3x5: the model declares batchxsequencex4"));
  CHECK_THAT(text, Contains("--shape ids=axb: expected INPUT=EXTENTS"));
  CHECK_THAT(text, Contains("--symbol heads=2: unknown symbol; symbols of the model: batch, sequence"));
  CHECK_THAT(text, Contains("--symbol batch=x: expected NAME=NUMBER"));
  CHECK_THAT(text, Contains("symbol 'batch' is 1 and 2"));
}
