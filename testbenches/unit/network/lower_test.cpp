// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/network/lower.h"

#include <ctime>
#include <random>

#include "platform/workloads/network/list_text.h"
#include "testbenches/support/catch.h"
#include "testbenches/support/samples.h"
#include "testbenches/unit/network/network_run.h"

using namespace spica;
using network::ElementType;
using network::Extents;
using network::Network;
using testbench::compute;
using testbench::difference;
using testbench::Integers;
using testbench::load;
using testbench::ModelWriter;
using testbench::types;

namespace {

const network::LowerOptions kNoFusion{false, false};

/// A decoder layer: two query heads for each of two key heads, a cache of `past` words, merged heads.
ModelWriter grouped_attention() {
  ModelWriter m;
  m.input("x", {1, "words", 16})
      .input("past", {1, 2, "past", 4})
      .numbers("wq", {16, 16}, 0.05F)
      .numbers("wk", {16, 8}, 0.1F);
  m.numbers("wo", {16, 16}, 0.2F)
      .list("heads", {1, -1, 4, 4})
      .list("pairs", {1, -1, 2, 4})
      .list("two", {2})
      .list("back", {1, -1, 16});
  m.scalar("root", 2);
  m.node("q = MatMul x wq")
      .node("qr = Reshape q heads")
      .node("qt = Transpose qr", {{"perm", Integers{0, 2, 1, 3}}});
  m.node("k = MatMul x wk")
      .node("kr = Reshape k pairs")
      .node("kt = Transpose kr", {{"perm", Integers{0, 2, 1, 3}}});
  m.node("keys = Concat past kt", {{"axis", 2}}).node("ku = Unsqueeze keys two");
  m.node("ks = Shape keys")
      .list("i2", {2})
      .node("length = Gather ks i2")
      .list("one", {1})
      .list("pair", {2})
      .list("four", {4});
  m.node("es = Concat one pair pair length four", {{"axis", 0}}).node("ke = Expand ku es");
  m.node("fs = Concat one four length four", {{"axis", 0}}).node("kf = Reshape ke fs");
  m.node("kx = Transpose kf", {{"perm", Integers{0, 1, 3, 2}}})
      .node("s = MatMul qt kx")
      .node("d = Div s root");
  m.node("p = Softmax d", {{"axis", -1}})
      .node("c = MatMul p kf")
      .node("ct = Transpose c", {{"perm", Integers{0, 2, 1, 3}}});
  m.node("cm = Reshape ct back").node("o = MatMul cm wo").node("y = Add x o").output("y").output("keys");
  return m;
}

}  // namespace

TEST_CASE("each node is in one row, and operators have all nodes that have a row of them") {
  const Network network = load(grouped_attention(), {{}, {"words=3", "past=5"}});
  REQUIRE(network.rows.size() == network.graph.nodes.size());
  for (std::size_t i = 0; i < network.rows.size(); ++i) {
    const network::Row& row = network.rows[i];
    const bool executed =
        row.state == network::Row::State::kOperator || row.state == network::Row::State::kFused;
    REQUIRE((row.op != network::kNone) == executed);
    if (!executed) continue;
    const auto& nodes = network.operators.at(row.op).nodes;
    CHECK(std::count(nodes.begin(), nodes.end(), i) == 1);
  }
  CHECK_THAT(network::list_text(network),
             Catch::Contains("fused into n_p") &&
                 Catch::Contains("23 nodes: 7 operators, 2 fused, 4 folded, 10 views"));
}

TEST_CASE("grouped heads with a cache are products on strides") {
  const Network network = load(grouped_attention(), {{}, {"words=3", "past=5"}});
  CHECK(types(network) == "product product copy product softmax product product");
  const network::Operator& scores = network.operators[3];
  CHECK(scores.inputs[0].extents == Extents{2, 2, 3, 4});  // key heads, query heads of each, words, k
  CHECK(scores.inputs[1].strides == Extents{32, 0, 1, 4});
  const network::Operator& merged = network.operators[6];
  CHECK(merged.inputs[0].extents == Extents{3, 16});  // heads are written side by side
  CHECK(merged.inputs[0].strides == Extents{16, 1});
  // With outputs in between, nothing is merged.
  ModelWriter whole = grouped_attention();
  for (const char* name : {"qt", "kt", "kf", "s", "c", "ct", "cm", "o"}) whole.output(name);
  const Network single = load(whole, {{}, {"words=3", "past=5"}}, kNoFusion);
  CHECK(difference(network, single, "y") < 1e-12);
  CHECK(difference(network, single, "keys") < 1e-12);
  // An empty cache is a view.
  CHECK(types(load(grouped_attention(), {{}, {"words=3", "past=0"}})) ==
        "product product product softmax product product");
}

TEST_CASE("bias, activation and residual become part of a product, in this order only") {
  const auto model = [](const std::vector<std::string>& nodes, bool keeps_inner = false) {
    ModelWriter m;
    m.input("x", {3, 4})
        .input("r", {3, 5})
        .numbers("w", {4, 5}, 0.3F)
        .numbers("b", {5}, 0.7F)
        .numbers("full", {3, 5}, 0.1F);
    for (const std::string& node : nodes) m.node(node);
    if (keeps_inner) m.output("p");
    return m.output("y");
  };
  const std::vector<std::string> all{"p = MatMul x w", "q = Add b p", "s = Add q r", "y = Relu s"};
  const Network fused = load(model(all)), separate = load(model(all), {}, kNoFusion);
  CHECK(types(fused) == "product");
  CHECK(types(separate) == "product add add relu");
  CHECK(difference(fused, separate, "y") < 1e-15);
  CHECK(fused.operators[0].inputs[2].strides == Extents{0, 1});
  CHECK(types(load(model({"p = MatMul x w", "q = Relu p", "y = Add q r"}))) == "product add");
  CHECK(types(load(model({"p = MatMul x w", "q = Relu p", "y = Add q b"}))) == "product add");
  CHECK(types(load(model({"p = MatMul x w", "y = Add p p"}))) == "product add");
  CHECK(types(load(model(all, true))) == "product add add relu");  // the product itself is an output
  CHECK(types(load(model(all), {}, {true, false})) == "product add relu");
}

TEST_CASE("batch normalisation goes into a convolution, or is a product and a sum") {
  const auto model = [](bool keeps) {
    ModelWriter m;
    m.input("x", {1, 2, 5, 5})
        .initializer(testbench::floats("w", {3, 2, 1, 1}, {1, 2, -1, 0.5F, 3, 1}))
        .numbers("b", {3}, 0.3F);
    m.initializer(testbench::floats("g", {3}, {1, 2, 3}))
        .initializer(testbench::floats("o", {3}, {0.5F, 0, -1}));
    m.initializer(testbench::floats("mean", {3}, {0.1F, 0.2F, 0.3F}))
        .initializer(testbench::floats("v", {3}, {1, 2, 4}));
    m.node("c = Conv x w b").node("n = BatchNormalization c g o mean v").node("y = Relu n").output("y");
    return keeps ? m.output("c") : m;
  };
  const Network fused = load(model(false)), separate = load(model(true));
  CHECK(types(fused) == "convolution");
  CHECK(types(separate) == "convolution mul add relu");
  CHECK(difference(fused, separate, "y") < 1e-6);
  ModelWriter trained;
  trained.input("x", {1, 2, 4})
      .input("m", {2})
      .numbers("one", {2}, 1)
      .node("y = BatchNormalization x one one m one")
      .output("y");
  CHECK_THAT(testbench::refused(trained), Catch::Contains("its statistics must be constant"));
}

TEST_CASE(
    "operators between DequantizeLinear and QuantizeLinear compute real numbers, weights stay integers") {
  ModelWriter m;
  m.input("x", {3, 4}, ElementType::kUint8).scalar("xs", 0.5F).scalar("ys", 0.3F);
  m.initializer(
      testbench::tensor_text<std::int8_t>("w", {4, 2}, ElementType::kInt8, {1, -2, 3, 4, -5, 6, 7, -8}));
  m.initializer(testbench::floats("ws", {2}, {0.25F, 0.5F})).node("xd = DequantizeLinear x xs");
  m.node("wd = DequantizeLinear w ws", {{"axis", 1}}).node("p = MatMul xd wd").node("r = Relu p");
  const Network network = load(m.node("y = QuantizeLinear r ys").output("y"));
  CHECK(types(network) == "dequantize dequantize product quantize");
  CHECK(network.tensors[network.operators[1].inputs[0].tensor].type == ElementType::kInt8);
  testbench::compute(network);
}

TEST_CASE("an Einsum of attention is a product on strides") {
  ModelWriter m;
  m.input("q", {2, 3, 2, 4})
      .input("k", {2, 5, 2, 4})
      .node("y = Einsum q k", {{"equation", std::string("bqhd,bkhd->bhqk")}});
  m.node("qt = Transpose q", {{"perm", Integers{0, 2, 1, 3}}})
      .node("kt = Transpose k", {{"perm", Integers{0, 2, 3, 1}}});
  const Network network = load(m.node("z = MatMul qt kt").output("y").output("z"));
  CHECK(types(network) == "product product");
  CHECK(compute(network).at("y") == compute(network).at("z"));
  ModelWriter sums;
  sums.input("a", {2, 3})
      .input("b", {3, 4})
      .node("y = Einsum a b", {{"equation", std::string("ij,jk->k")}})
      .output("y");
  CHECK_THAT(testbench::refused(sums), Catch::Contains("sums an axis of one operand"));
}

TEST_CASE("a view that strides cannot express is a copy of its node") {
  ModelWriter m;
  m.input("x", {4, 6}).node("t = Transpose x").list("s", {8, 3}).node("r = Reshape t s").node("y = Relu r");
  const Network network = load(m.output("y"));
  CHECK(types(network) == "copy relu");
  CHECK(testbench::row(network, "r") == "operator");
  CHECK(testbench::row(network, "t") == "view");
  const network::Numbers y = compute(network).at("y");
  const double first = std::sin(1.0 + 7 * 6);  // x[1][0] is the second element
  CHECK(y[1] == Approx(std::max(first, 0.0)));
}

TEST_CASE("a network of images: depthwise, pooling, resizing, group norm, global mean") {
  ModelWriter m(21);
  m.input("x", {1, 4, 8, 8})
      .numbers("w", {4, 1, 3, 3}, 0.2F)
      .scalar("zero", 0)
      .scalar("six", 6)
      .numbers("gw", {4}, 1.5F)
      .numbers("gb", {4}, 0.5F);
  m.initializer(testbench::floats("scales", {4}, {1, 1, 2, 2}));
  m.node("d = Conv x w", {{"group", 4}, {"pads", Integers{1, 1, 1, 1}}}).node("c = Clip d zero six");
  m.node("p = MaxPool c", {{"kernel_shape", Integers{2, 2}}, {"strides", Integers{2, 2}}});
  m.node("u = Resize p _ scales", {{"mode", std::string("nearest")},
                                   {"coordinate_transformation_mode", std::string("asymmetric")},
                                   {"nearest_mode", std::string("floor")}});
  m.node("n = GroupNormalization u gw gb", {{"num_groups", 2}}).node("cat = Concat c n", {{"axis", 1}});
  m.node("g = GlobalAveragePool cat").node("y = Flatten g").output("y");
  const Network network = load(m);
  CHECK(types(network) == "convolution pool resize group_norm copy reduce");
  const auto& convolution = std::get<network::Convolution>(network.operators[0].parameters);
  CHECK(convolution.groups == 4);
  CHECK(convolution.function.function == network::Function::kClip);
  CHECK(convolution.function.beta == 6);
  CHECK(network.operators[5].inputs[0].extents == Extents{8, 64});
  const network::Numbers y = compute(network).at("y");
  REQUIRE(y.size() == 8);
  CHECK(y[4] + y[5] == Approx(1).margin(1e-9));  // a norm has mean 0, and two biases of 0.5
}

TEST_CASE("a damaged model is listed or refused, and nothing else happens") {
  const std::string whole = grouped_attention().bytes();
  const testbench::TemporaryFolder folder;
  const std::string path = folder.path("m.onnx");
  std::mt19937 random(2);
  unsigned refused = 0, listed = 0, tried = 0;
  const std::clock_t start = std::clock();
  for (; tried < testbench::samples(3000) && std::clock() - start < 60 * CLOCKS_PER_SEC; ++tried) {
    std::string bytes = whole;
    for (unsigned changes = 1 + random() % 2; changes > 0; --changes) {
      const std::size_t at = random() % bytes.size();
      if (random() % 4 != 0) bytes[at] = static_cast<char>(bytes[at] ^ 1 << random() % 8);
      else bytes[at] = static_cast<char>(random());
    }
    std::ofstream(path, std::ios::binary) << bytes;
    try {
      listed +=
          network::list_text(network::load_network(path, {{"x=1x3x16", "past=1x2x5x4"}, {}})).empty() ? 0 : 1;
    } catch (const input::UserError&) {
      ++refused;
    }
  }
  CHECK(refused > tried / 4);
  CHECK(listed > 0);
  CHECK(refused + listed == tried);
}

TEST_CASE("outputs are copied where a network has only views and constants") {
  ModelWriter m;
  m.input("x", {4, 6}).numbers("a", {2}).numbers("b", {2}, 0.25F).list("shape", {6, 4});
  m.node("r = Reshape x shape").node("y = Transpose r", {{"perm", Integers{1, 0}}}).node("s = Add a b");
  m.output("y").output("s").output("x");
  const Network network = load(m);
  CHECK(types(network) == "copy copy copy");
  const auto values = compute(network);
  const auto x = values.at("x"), y = values.at("y");
  REQUIRE(y.size() == 24);
  CHECK(y[1] == x[4]);
  CHECK(values.at("s") == network::Numbers{0.75, 0.75});
}

TEST_CASE("a single query behind a cache of keys is not masked as causal: rows of several heads are equal") {
  ModelWriter m;
  m.input("x", {1, 3, 1, 4}).numbers("mask", {1, 1, 1, 4}, 0);
  m.node("s = Add x mask").node("y = Softmax s", {{"axis", -1}}).output("y");
  const Network network = load(m);
  REQUIRE(types(network) == "softmax");
  CHECK_FALSE(std::get<network::Softmax>(network.operators[0].parameters).causal);
  double sum = 0;
  const auto values = compute(network);
  for (const double weight : values.at("y")) sum += weight;
  CHECK(std::abs(sum - 3) < 1e-9);
}
