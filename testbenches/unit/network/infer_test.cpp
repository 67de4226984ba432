// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/network/infer.h"

#include "testbenches/support/catch.h"
#include "testbenches/unit/network/network_run.h"

using namespace spica;
using network::ElementType;
using network::Extents;
using testbench::Integers;
using testbench::ModelWriter;
using testbench::refused;

namespace {

/// The extents of output y.
Extents inferred(const ModelWriter& model) {
  const network::Network network = testbench::load(model);
  return network.outputs.at(0).operand.extents;
}

/// With an operator of its own: outputs of a network without any are copied.
ModelWriter& with_operator(ModelWriter& model) {
  return model.input("own", {1}).node("own_y = Relu own").output("own_y");
}

/// The values of output y.
network::Numbers folded(ModelWriter model) {
  model.output("y");
  const network::Network network = testbench::load(with_operator(model));
  CHECK(network.operators.size() == 1);
  return testbench::compute(network).at("y");
}

ModelWriter with_x(const std::vector<testbench::Extent>& extents) {
  return ModelWriter().input("x", extents).output("y");
}

}  // namespace

TEST_CASE("a reshape by constant, zero and open extents") {
  CHECK(inferred(with_x({2, 3, 4}).list("s", {0, -1}).node("y = Reshape x s")) == Extents{2, 12});
  CHECK(inferred(with_x({2, 0}).list("s", {0, 2}).node("y = Reshape x s", {{"allowzero", 1}})) ==
        Extents{0, 2});
  CHECK_THAT(refused(with_x({2, 3}).list("s", {-1, 4}).node("y = Reshape x s")),
             Catch::Contains("6 elements do not fit"));
  CHECK_THAT(refused(with_x({2, 3}).list("s", {-1, -1}).node("y = Reshape x s")),
             Catch::Contains("-1 twice"));
  CHECK_THAT(refused(with_x({2, 3}).input("s", {2}, ElementType::kInt64).node("y = Reshape x s")),
             Catch::Contains("input 'shape' must be constant"));
}

TEST_CASE("shape arithmetic of an exporter folds to nothing") {
  ModelWriter model = with_x({2, 6, 8});
  model.node("s = Shape x")
      .list("zero", {0})
      .node("b = Gather s zero")
      .list("one", {1})
      .node("l = Gather s one");
  model.list("heads", {4}).list("rest", {-1}).node("t = Concat b l heads rest", {{"axis", 0}});
  model.node("r = Reshape x t").node("y = Transpose r", {{"perm", Integers{0, 2, 1, 3}}});
  const network::Network network = testbench::load(with_operator(model));
  CHECK(network.outputs[0].operand.extents == Extents{2, 4, 6, 2});
  CHECK(network.outputs[0].operand.strides == Extents{48, 2, 8, 1});
  CHECK(network.operators.size() == 1);
  for (const char* name : {"s", "b", "l", "t"}) CHECK(testbench::row(network, name) == "folded");
  CHECK(testbench::row(network, "y") == "view");
}

TEST_CASE("expansion through Where, Equal and ConstantOfShape") {
  ModelWriter model = with_x({2, 1, 4});
  model.list("shape", {2, -1, 4})
      .list("rank", {3})
      .node("ones = ConstantOfShape rank", {{"value", testbench::TensorText{testbench::integers("", {1})}}});
  model.initializer(testbench::tensor_text<std::int64_t>("minus", {}, ElementType::kInt64, {-1}));
  model.node("m = Mul ones minus")
      .node("e = Equal shape m")
      .node("t = Where e ones shape")
      .node("y = Expand x t");
  CHECK(inferred(model) == Extents{2, 1, 4});
}

TEST_CASE("slices, with negative starts, ends beyond the end, and steps") {
  const auto slice = [](std::int64_t start, std::int64_t end, std::int64_t step) {
    ModelWriter model;
    model.list("x", {0, 1, 2, 3, 4, 5, 6})
        .list("s", {start})
        .list("e", {end})
        .list("a", {0})
        .list("t", {step});
    return folded(model.node("y = Slice x s e a t"));
  };
  CHECK(slice(2, 4, 1) == network::Numbers{2, 3});
  CHECK(slice(-3, INT64_MAX, 1) == network::Numbers{4, 5, 6});
  CHECK(slice(0, 100, 3) == network::Numbers{0, 3, 6});
  CHECK(slice(-1, INT64_MIN, -2) == network::Numbers{6, 4, 2, 0});
  CHECK(slice(5, 2, -1) == network::Numbers{5, 4, 3});
  CHECK(slice(1, -1, 4) == network::Numbers{1, 5});
}

TEST_CASE("constants are computed as the operators are defined") {
  const auto ints = [](const std::string& words, const Integers& a, const Integers& b) {
    return folded(ModelWriter().list("a", a).list("b", b).node(words));
  };
  CHECK(ints("y = Div a b", {7, -7, 7}, {2, 2, -2}) == network::Numbers{3, -3, -3});
  CHECK(ints("y = Mod a b", {7, -7, 7}, {3, 3, -3}) == network::Numbers{1, 2, -2});
  CHECK(ints("y = Pow a b", {2, -3}, {10, 3}) == network::Numbers{1024, -27});
  CHECK(ints("y = Less a b", {1, 2}, {2, 2}) == network::Numbers{1, 0});
  CHECK_THAT(refused(ModelWriter().list("a", {1}).list("b", {0}).node("y = Div a b").output("y")),
             Catch::Contains("divides an integer by zero"));
  CHECK(folded(ModelWriter().list("x", {1, 0, 2}).node("y = NonZero x")) == network::Numbers{0, 2});
  CHECK(folded(ModelWriter()
                   .initializer(testbench::floats("x", {2, 3}, {1, 2, 3, 4, 5, 6}))
                   .list("d", {1})
                   .node("y = CumSum x d")) == network::Numbers{1, 3, 6, 4, 9, 15});
  CHECK(folded(ModelWriter()
                   .initializer(testbench::floats("x", {2, 2}, {1, 2, 3, 4}))
                   .node("y = Trilu x", {{"upper", 0}})) == network::Numbers{1, 0, 3, 4});
  CHECK(folded(ModelWriter()
                   .initializer(testbench::floats("x", {2, 2}, {1, 2, 3, 4}))
                   .node("y = ReduceMean x", {{"axes", Integers{0}}})) == network::Numbers{2, 3});
}

TEST_CASE("products and windows have the extents of their definitions") {
  CHECK(inferred(with_x({5, 1, 3, 4}).numbers("w", {2, 4, 6}).node("y = MatMul x w")) == Extents{5, 2, 3, 6});
  CHECK(inferred(with_x({4}).numbers("w", {4, 6}).node("y = MatMul x w")) == Extents{6});
  CHECK(inferred(with_x({3, 4}).numbers("w", {4}).node("y = MatMul x w")) == Extents{3});
  CHECK(inferred(with_x({4, 3}).numbers("w", {5, 4}).node("y = Gemm x w", {{"transA", 1}, {"transB", 1}})) ==
        Extents{3, 5});
  CHECK(inferred(with_x({2, 3, 4})
                     .numbers("w", {2, 5, 4})
                     .node("y = Einsum x w", {{"equation", std::string("bqd,bkd->bqk")}})) ==
        Extents{2, 3, 5});
  const auto conv = [](const std::vector<testbench::AttributeText>& attributes) {
    return inferred(with_x({1, 4, 9, 9}).numbers("w", {8, 2, 3, 3}).node("y = Conv x w", attributes));
  };
  CHECK(conv({{"group", 2}}) == Extents{1, 8, 7, 7});
  CHECK(conv({{"group", 2}, {"pads", Integers{1, 1, 1, 1}}, {"strides", Integers{2, 2}}}) ==
        Extents{1, 8, 5, 5});
  CHECK(conv({{"group", 2}, {"dilations", Integers{2, 2}}}) == Extents{1, 8, 5, 5});
  CHECK(conv({{"group", 2}, {"auto_pad", std::string("SAME_UPPER")}, {"strides", Integers{2, 2}}}) ==
        Extents{1, 8, 5, 5});
  const auto pool = [](int ceil) {
    return inferred(
        with_x({1, 1, 6, 6})
            .node("y = MaxPool x",
                  {{"kernel_shape", Integers{3, 3}}, {"strides", Integers{2, 2}}, {"ceil_mode", ceil}}));
  };
  CHECK(pool(0) == Extents{1, 1, 2, 2});
  CHECK(pool(1) == Extents{1, 1, 3, 3});
  CHECK(inferred(with_x({1, 4, 5, 5})
                     .numbers("w", {4, 3, 3, 3})
                     .node("y = ConvTranspose x w", {{"strides", Integers{2, 2}},
                                                     {"output_padding", Integers{1, 1}},
                                                     {"pads", Integers{1, 1, 1, 1}}})) ==
        Extents{1, 3, 10, 10});
  CHECK(inferred(with_x({1, 2, 4, 4})
                     .initializer(testbench::floats("s", {4}, {1, 1, 2, 2.5F}))
                     .node("y = Resize x _ s")) == Extents{1, 2, 8, 10});
}

TEST_CASE("what a node may not be is reported with its operator and attribute, all nodes at once") {
  ModelWriter model = with_x({1, 2, 4, 4});
  model.node("a = NonZero x")
      .node("b = Frob x")
      .node("c = Frob x")
      .node("d = Resize x", {{"mode", std::string("cubic")}});
  model.node("e = Softmax x", {{"axis", 7}})
      .node("f = Elu x", {{"beta", 1.0}})
      .node("g = Gelu x", {}, "com.microsoft");
  model.node("y = MatMulInteger x x")
      .output("a")
      .output("b")
      .output("c")
      .output("d")
      .output("e")
      .output("f")
      .output("g");
  const std::string text = refused(model);
  using Catch::Contains;
  CHECK_THAT(text, Contains("node 'n_a' (NonZero): its extents depend on values that are computed"));
  CHECK_THAT(text, Contains("node 'n_b' (Frob): unsupported operator (2 nodes)"));
  CHECK_THAT(text, Contains("node 'n_e' (Softmax): axis 7 of a tensor with 4 axes"));
  CHECK_THAT(text, Contains("node 'n_f' (Elu): attribute 'beta' is not supported"));
  CHECK_THAT(text,
             Contains("node 'n_g' (com.microsoft.Gelu): unsupported operator; operators of other domains"));
  CHECK_THAT(text, Contains("node 'n_y' (MatMulInteger): unsupported operator; quantise in QDQ form"));
  CHECK_THAT(text, Contains("supported operators: Abs, Add, And,"));
}
