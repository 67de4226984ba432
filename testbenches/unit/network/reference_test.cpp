// SPDX-License-Identifier: Apache-2.0
// The reference against values of the operators' definitions (onnx/docs/Operators.md), by way of models.
#include "testbenches/unit/network/reference.h"

#include <cmath>

#include "testbenches/support/catch.h"
#include "testbenches/unit/network/network_run.h"

using namespace spica;
using network::ElementType;
using network::Numbers;
using testbench::floats;
using testbench::Integers;
using testbench::ModelWriter;

namespace {

/// A model whose input x has these values: they come from a product with 1, which is not folded.
ModelWriter with_x(const Integers& extents, const std::vector<float>& values) {
  ModelWriter model;
  model.input("zero", {0})
      .initializer(floats("given", extents, values))
      .node("nothing = ReduceSum zero", {{"keepdims", 0}});
  return model.node("x = Add given nothing");
}

/// Values of an output, which is computed by operators.
Numbers values_of(ModelWriter model, const std::string& output = "y") {
  const network::Network network = testbench::load(model.output(output));
  REQUIRE(network.operators.size() > 1);
  return testbench::compute(network).at(output);
}

void check_near(const Numbers& found, const Numbers& expected) {
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) CHECK(found[i] == Approx(expected[i]).margin(1e-6));
}

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

}  // namespace

TEST_CASE("the largest elements and their places") {
  ModelWriter model = with_x({2, 3}, {3, 1, 2, 5, 7, 7});
  model.list("k", {2}).node("y, i = TopK x k");
  CHECK(values_of(model) == Numbers{3, 2, 7, 7});
  CHECK(values_of(model, "i") == Numbers{0, 2, 1, 2});
  CHECK(values_of(with_x({2, 3}, {3, 1, 2, 5, 7, 1}).node("y = ArgMax x", {{"axis", 0}, {"keepdims", 0}})) ==
        Numbers{1, 1, 0});
  CHECK(values_of(
            with_x({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8}).node("y = ReduceSum x axes").list("axes", {0, 2})) ==
        Numbers{14, 22});
}

TEST_CASE("padding by a value, by reflection and by the edge") {
  const auto pad = [](const std::string& mode) {
    return values_of(
        with_x({3}, {1, 2, 3}).list("p", {2, 1}).scalar("v", 9).node("y = Pad x p v", {{"mode", mode}}));
  };
  CHECK(pad("constant") == Numbers{9, 9, 1, 2, 3, 9});
  CHECK(pad("reflect") == Numbers{3, 2, 1, 2, 3, 2});
  CHECK(pad("edge") == Numbers{1, 1, 1, 2, 3, 3});
}

TEST_CASE("gathering and scattering, with negative indices") {
  const auto indices = [](ModelWriter model, const Integers& extents, const Integers& values) {
    return model.initializer(testbench::tensor_text("i", extents, ElementType::kInt64, values));
  };
  CHECK(values_of(indices(with_x({3, 2}, {1, 2, 3, 4, 5, 6}), {3}, {0, 2, -2}).node("y = Gather x i")) ==
        Numbers{1, 2, 5, 6, 3, 4});
  CHECK(values_of(indices(with_x({2, 3}, {1, 2, 3, 4, 5, 6}), {3}, {2, 0, 0})
                      .node("y = Gather x i", {{"axis", 1}})) == Numbers{3, 1, 1, 6, 4, 4});
  CHECK(values_of(indices(with_x({2, 2}, {1, 2, 3, 4}), {2, 2}, {0, 0, 1, 0})
                      .node("y = GatherElements x i", {{"axis", 1}})) == Numbers{1, 1, 4, 3});
  CHECK(values_of(indices(with_x({1, 5}, {1, 2, 3, 4, 5}), {1, 2}, {1, -3})
                      .initializer(floats("u", {1, 2}, {1.5F, 2.5F}))
                      .node("y = ScatterElements x i u", {{"axis", 1}})) == Numbers{1, 1.5, 2.5, 4, 5});
  CHECK(values_of(indices(with_x({3, 2}, {1, 2, 3, 4, 5, 6}), {2, 1}, {2, 0})
                      .initializer(floats("u", {2, 2}, {10, 20, 30, 40}))
                      .node("y = ScatterND x i u")) == Numbers{30, 40, 3, 4, 10, 20});
}

TEST_CASE("resizing by two, to the nearest and linearly") {
  const auto resize = [](const std::string& mode) {
    ModelWriter model = with_x({1, 1, 2, 2}, {1, 2, 3, 4});
    return values_of(
        model.initializer(floats("s", {4}, {1, 1, 2, 2})).node("y = Resize x _ s", {{"mode", mode}}));
  };
  CHECK(resize("nearest") == Numbers{1, 1, 2, 2, 1, 1, 2, 2, 3, 3, 4, 4, 3, 3, 4, 4});
  check_near(resize("linear"),
             {1, 1.25, 1.75, 2, 1.5, 1.75, 2.25, 2.5, 2.5, 2.75, 3.25, 3.5, 3, 3.25, 3.75, 4});
}

TEST_CASE("windows: averages with and without padding, dilated maxima, a transposed convolution") {
  const auto average = [](int counts) {
    return values_of(
        with_x({1, 1, 3}, {1, 2, 6})
            .node("y = AveragePool x",
                  {{"kernel_shape", Integers{3}}, {"pads", Integers{1, 1}}, {"count_include_pad", counts}}));
  };
  check_near(average(0), {1.5, 3, 4});
  check_near(average(1), {1, 3, 8.0 / 3});
  CHECK(values_of(with_x({1, 1, 5}, {5, 1, 4, 2, 3})
                      .node("y = MaxPool x", {{"kernel_shape", Integers{2}}, {"dilations", Integers{2}}})) ==
        Numbers{5, 2, 4});
  ModelWriter model = with_x({1, 1, 3, 3}, {0, 1, 2, 3, 4, 5, 6, 7, 8});
  CHECK(values_of(model.numbers("w", {1, 1, 3, 3}, 1).node("y = ConvTranspose x w")) ==
        Numbers{0, 1, 3, 3, 2, 3, 8, 15, 12, 7, 9, 21, 36, 27, 15, 9, 20, 33, 24, 13, 6, 13, 21, 15, 8});
}

TEST_CASE("recurrent cells, two steps") {
  ModelWriter lstm = with_x({2, 1, 1}, {1, -2});
  lstm.initializer(floats("w", {1, 4, 1}, {0.5F, -0.25F, 0.75F, 1}))
      .initializer(floats("r", {1, 4, 1}, {0.1F, 0.2F, 0.3F, 0.4F}));
  lstm.node("all, y, c = LSTM x w r", {{"hidden_size", 1}});
  double h = 0, c = 0;
  for (const double x : {1.0, -2.0}) {  // gates: input, output, forget, cell
    const double i = sigmoid(0.5 * x + 0.1 * h), o = sigmoid(-0.25 * x + 0.2 * h),
                 f = sigmoid(0.75 * x + 0.3 * h);
    c = f * c + i * std::tanh(x + 0.4 * h);
    h = o * std::tanh(c);
  }
  check_near(values_of(lstm), {h});
  check_near(values_of(lstm, "c"), {c});
  for (const int before : {0, 1}) {
    ModelWriter gru = with_x({2, 1, 1}, {1, -2});
    gru.initializer(floats("w", {1, 3, 1}, {0.5F, -0.25F, 0.75F}))
        .initializer(floats("r", {1, 3, 1}, {0.1F, 0.2F, 0.3F}));
    gru.initializer(floats("b", {1, 6}, {0, 0, 0.5F, 0, 0, 0.25F}));
    gru.node("all, y = GRU x w r b", {{"hidden_size", 1}, {"linear_before_reset", before}});
    h = 0;
    for (const double x : {1.0, -2.0}) {  // gates: update, reset, hidden
      const double z = sigmoid(0.5 * x + 0.1 * h), r = sigmoid(-0.25 * x + 0.2 * h);
      const double state = before != 0 ? r * (0.3 * h + 0.25) : 0.3 * r * h + 0.25;
      h = (1 - z) * std::tanh(0.75 * x + 0.5 + state) + z * h;
    }
    check_near(values_of(gru), {h});
  }
}

TEST_CASE("sums up to each element, triangles, one-hot numbers, gathering by several indices") {
  const auto sum = [](int exclusive, int reverse) {
    return values_of(with_x({2, 3}, {1, 2, 3, 4, 5, 6})
                         .list("axis", {1})
                         .node("y = CumSum x axis", {{"exclusive", exclusive}, {"reverse", reverse}}));
  };
  CHECK(sum(0, 0) == Numbers{1, 3, 6, 4, 9, 15});
  CHECK(sum(1, 0) == Numbers{0, 1, 3, 0, 4, 9});
  CHECK(sum(1, 1) == Numbers{5, 3, 0, 11, 6, 0});
  CHECK(values_of(with_x({2, 3}, {1, 2, 3, 4, 5, 6}).node("y = Trilu x", {{"upper", 0}})) ==
        Numbers{1, 0, 0, 4, 5, 0});
  ModelWriter model;
  model.input("i", {3}, ElementType::kInt64).list("depth", {3});
  model.initializer(floats("values", {2}, {-1, 5})).node("y = OneHot i depth values");
  CHECK(testbench::compute(testbench::load(model.output("y"))).at("y") ==
        Numbers{5, -1, -1, -1, 5, -1, -1, -1, 5});  // of 0, 1, 2
  CHECK(values_of(
            with_x({2, 3, 2}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11})
                .initializer(testbench::tensor_text("i", {2, 2}, ElementType::kInt64, Integers{1, -1, 0, 1}))
                .node("y = GatherND x i")) == Numbers{10, 11, 2, 3});
  check_near(values_of(with_x({3}, {1, 2, 3}).node("y = ReduceLogSumExp x", {{"keepdims", 0}})),
             {std::log(std::exp(1) + std::exp(2) + std::exp(3))});
}

TEST_CASE("integers are computed as such") {
  ModelWriter model;
  model.input("x", {3}, ElementType::kInt64)
      .list("two", {2})
      .list("ten", {-10})
      .node("a = Add x ten")
      .node("y = Mul a two");
  CHECK(testbench::compute(testbench::load(model.output("y"))).at("y") ==
        Numbers{-20, -18, -16});  // of 0, 1, 2
}
