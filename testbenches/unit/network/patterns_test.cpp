// SPDX-License-Identifier: Apache-2.0
// Each pattern is recognised, gives the values of the nodes it replaces, and is left alone where one condition fails.
#include <cmath>
#include <functional>

#include "testbenches/support/catch.h"
#include "testbenches/unit/network/network_run.h"

using namespace spica;
using network::ElementType;
using testbench::Integers;
using testbench::load;
using testbench::ModelWriter;
using testbench::types;

namespace {

using Build = std::function<void(ModelWriter&)>;

/// A model of x with output y, and `inner` values as further outputs: those are not left out.
ModelWriter model_of(const std::vector<testbench::Extent>& x, const Build& build,
                     const std::vector<std::string>& inner = {}) {
  ModelWriter model;
  model.input("x", x);
  build(model);
  model.output("y");
  for (const std::string& name : inner) model.output(name);
  return model;
}

/// The pattern gives one operator of this type, with the values of the single nodes.
void check_pattern(const std::vector<testbench::Extent>& x, const std::string& type,
                   const std::vector<std::string>& inner, const Build& build) {
  const network::Network found = load(model_of(x, build)), single = load(model_of(x, build, inner));
  CHECK(types(found) == type);
  CHECK(single.operators.size() > 1);
  CHECK(testbench::difference(found, single, "y") < 1e-7);  // constants of the nodes are rounded to FP32
}

/// The same nodes with one of them changed are not the pattern.
void check_other(const std::vector<testbench::Extent>& x, const std::string& type, const Build& build) {
  CHECK_THAT(types(load(model_of(x, build))), !Catch::Contains(type));
}

struct NormParts {
  std::int64_t axis = -1;
  float power = 2;
  int keepdims = 1;
  bool squares_x = false, mul_by_matrix = false;
};

Build layer_norm(const NormParts& parts = {}) {
  return [parts](ModelWriter& m) {
    m.scalar("two", parts.power).scalar("eps", 1e-5F).numbers("b", {6}, 0.25F);
    m.numbers("w", parts.mul_by_matrix ? Integers{3, 6} : Integers{6}, 1.5F);
    m.node("mean = ReduceMean x", {{"axes", Integers{-1}}}).node("d = Sub x mean");
    m.node(parts.squares_x ? "p = Pow x two" : "p = Pow d two");
    m.node("v = ReduceMean p", {{"axes", Integers{parts.axis}}, {"keepdims", 1}});
    m.node("e = Add v eps").node("s = Sqrt e").node("q = Div d s").node("g = Mul q w").node("y = Add g b");
  };
}

}  // namespace

TEST_CASE("nine nodes are a layer norm, if its mean, power and axes are those of one") {
  check_pattern({2, 3, 6}, "layer_norm", {"p"}, layer_norm());
  NormParts other;
  other.axis = 1;
  check_other({2, 3, 6}, "layer_norm", layer_norm(other));
  other = {};
  other.power = 3;
  check_other({2, 3, 6}, "layer_norm", layer_norm(other));
  other = {};
  other.squares_x = true;
  check_other({2, 3, 6}, "layer_norm", layer_norm(other));
  other = {};
  other.mul_by_matrix = true;  // a weight for each row stays an operator of its own
  CHECK(types(load(model_of({2, 3, 6}, layer_norm(other)))) == "layer_norm mul add");
}

TEST_CASE("a root mean square norm, by division or reciprocal") {
  const auto norm = [](const std::string& last, const std::string& epsilon = "eps") {
    return [last, epsilon](ModelWriter& m) {
      m.scalar("two", 2)
          .scalar("eps", 1e-5F)
          .scalar("one", 1)
          .numbers("w", {6}, 1.5F)
          .numbers("eps3", {3, 1}, 1e-5F);
      m.node("p = Pow x two")
          .node("v = ReduceMean p", {{"axes", Integers{-1}}})
          .node("e = Add v " + epsilon)
          .node("s = Sqrt e");
      if (last == "Div") m.node("q = Div x s");
      if (last == "Inverse") m.node("r = Div one s").node("q = Mul x r");
      if (last == "Reciprocal") m.node("r = Reciprocal s").node("q = Mul r x");
      if (last == "Upside") m.node("q = Div s x");
      m.node("y = Mul w q");
    };
  };
  for (const char* last : {"Div", "Inverse", "Reciprocal"})
    check_pattern({2, 3, 6}, "rms_norm", {"v"}, norm(last));
  check_other({2, 3, 6}, "rms_norm", norm("Upside"));
  check_other({2, 3, 6}, "rms_norm", norm("Div", "eps3"));
}

TEST_CASE("group norm by way of instance norm") {
  const auto norm = [](float weight, std::int64_t channels) {
    return [weight, channels](ModelWriter& m) {
      m.list("split", {0, 2, -1})
          .list("join", {2, 6, 4, 4})
          .numbers("one", {2}, weight)
          .numbers("zero", {2}, 0);
      m.numbers("w", {channels, 1, 1}, 1.5F).numbers("b", {6, 1, 1}, 0.25F);
      m.node("r = Reshape x split")
          .node("n = InstanceNormalization r one zero", {{"epsilon", 1e-5}})
          .node("j = Reshape n join");
      m.node("g = Mul j w").node("y = Add g b");
    };
  };
  const network::Network found = load(model_of({2, 6, 4, 4}, norm(1, 6)));
  CHECK(types(found) == "group_norm");
  CHECK(found.operators[0].inputs[0].extents == network::Extents{2, 2, 3, 16});
  CHECK(testbench::difference(found, load(model_of({2, 6, 4, 4}, norm(1, 6), {"j"})), "y") < 1e-12);
  // Weights that are not 1 stay those of an instance norm; a common factor is a product.
  CHECK(types(load(model_of({2, 6, 4, 4}, norm(2, 6)))) == "group_norm mul add");
  CHECK(types(load(model_of({2, 6, 4, 4}, norm(1, 1)))) == "group_norm mul add");
}

TEST_CASE("the three forms of GELU are never exchanged") {
  const auto erf = [](float root, int order) {
    return [root, order](ModelWriter& m) {
      m.scalar("root", root).scalar("one", 1).scalar("half", 0.5F);
      m.node("d = Div x root").node("e = Erf d").node("s = Add e one");
      if (order == 0) m.node("p = Mul x s").node("y = Mul p half");
      if (order == 1) m.node("p = Mul x half").node("y = Mul p s");
      if (order == 2) m.node("p = Mul s half").node("y = Mul x p");
    };
  };
  for (const int order : {0, 1, 2}) check_pattern({3, 8}, "gelu_erf", {"s"}, erf(std::sqrt(2.0F), order));
  check_other({3, 8}, "gelu", erf(1.5F, 0));
  const auto tanh = [](float cubic, bool products) {
    return [cubic, products](ModelWriter& m) {
      m.scalar("c", cubic)
          .scalar("one", 1)
          .scalar("half", 0.5F)
          .scalar("three", 3)
          .scalar("k", 0.7978845608F);
      if (products) m.node("xx = Mul x x").node("cube = Mul xx x");
      else m.node("cube = Pow x three");
      m.node("t = Mul cube c")
          .node("u = Add x t")
          .node("v = Mul u k")
          .node("w = Tanh v")
          .node("s = Add w one");
      m.node("p = Mul half x").node("y = Mul p s");
    };
  };
  check_pattern({3, 8}, "gelu_tanh", {"v"}, tanh(0.044715F, false));
  check_pattern({3, 8}, "gelu_tanh", {"v"}, tanh(0.044715F, true));
  check_other({3, 8}, "gelu", tanh(0.0447F, false));
  const auto sigmoid = [](float factor) {
    return [factor](ModelWriter& m) {
      m.scalar("f", factor).node("a = Mul x f").node("s = Sigmoid a").node("y = Mul x s");
    };
  };
  check_pattern({3, 8}, "gelu_sigmoid", {"s"}, sigmoid(1.702F));
  check_other({3, 8}, "gelu", sigmoid(1.7F));
  // Their values differ, so none may be taken for another.
  const network::Network a = load(model_of({3, 8}, erf(std::sqrt(2.0F), 0))),
                         b = load(model_of({3, 8}, tanh(0.044715F, false)));
  CHECK(testbench::difference(a, b, "y") > 1e-5);
}

TEST_CASE("SiLU and its gated form") {
  check_pattern({3, 8}, "silu", {"s"}, [](ModelWriter& m) { m.node("s = Sigmoid x").node("y = Mul x s"); });
  check_pattern({3, 8}, "silu_gate", {"s"}, [](ModelWriter& m) {
    m.input("u", {3, 8}).node("s = Sigmoid x").node("g = Mul x s").node("y = Mul g u");
  });
  check_other({3, 8}, "silu",
              [](ModelWriter& m) { m.input("u", {3, 8}).node("s = Sigmoid x").node("y = Mul u s"); });
  check_pattern({3, 8}, "hard_swish", {"s"}, [](ModelWriter& m) {
    m.node("s = HardSigmoid x", {{"alpha", 1.0 / 6}}).node("y = Mul s x");
  });
  check_other({3, 8}, "hard_swish", [](ModelWriter& m) { m.node("s = HardSigmoid x").node("y = Mul s x"); });
}

namespace {

/// x cos + concat(-x[second], x[first]) sin, of halves that end at `cut` of 8.
Build rotary(std::int64_t cut, bool negates_first, bool by_split = false) {
  return [=](ModelWriter& m) {
    m.input("cos", {5, 8})
        .input("sin", {5, 8})
        .list("zero", {0})
        .list("cut", {cut})
        .list("end", {INT64_MAX})
        .list("axis", {-1});
    m.list("halves", {4, 4});
    if (by_split) m.node("a, b = Split x halves", {{"axis", -1}});
    else m.node("a = Slice x zero cut axis").node("b = Slice x cut end axis");
    m.node(negates_first ? "n = Neg a" : "n = Neg b")
        .node(negates_first ? "h = Concat n b" : "h = Concat n a", {{"axis", -1}});
    m.node("s = Mul x cos").node("t = Mul h sin").node("y = Add s t");
  };
}

}  // namespace

TEST_CASE("rotary embedding, by slices and by a split") {
  check_pattern({1, 2, 5, 8}, "rotary", {"h"}, rotary(4, false));
  check_pattern({1, 2, 5, 8}, "rotary", {"h"}, rotary(4, false, true));
  check_other({1, 2, 5, 8}, "rotary", rotary(3, false));
  check_other({1, 2, 5, 8}, "rotary", rotary(4, true));
}

TEST_CASE("scale and mask go into the softmax") {
  const auto attention = [](const std::string& mask, int axis) {
    return [=](ModelWriter& m) {
      m.scalar("root", 4).input("m", {4}).numbers("scales", {4, 1}, 2);
      m.node("d = Div x root")
          .node("e = Mul d scales")
          .node("a = Add " + mask)
          .node("y = Softmax a", {{"axis", axis}});
    };
  };
  const auto simple = [](ModelWriter& m) {
    m.scalar("root", 4)
        .input("m", {4})
        .node("d = Div x root")
        .node("a = Add d m")
        .node("y = Softmax a", {{"axis", -1}});
  };
  check_pattern({2, 4, 4}, "softmax", {"a"}, [](ModelWriter& m) {
    m.scalar("f", 0.5F).node("a = Mul f x").node("y = Softmax a", {{"axis", -1}});
  });
  const network::Network found = load(model_of({2, 4, 4}, simple));
  CHECK(types(found) == "softmax");
  CHECK(std::get<network::Softmax>(found.operators[0].parameters).scale == 0.25);
  CHECK(found.operators[0].inputs[1].strides == network::Extents{0, 1});
  CHECK(testbench::difference(found, load(model_of({2, 4, 4}, simple, {"a"})), "y") < 1e-12);
  CHECK(types(load(model_of({2, 4, 4}, attention("e m", -1)))) == "div mul softmax");  // not by one number
  CHECK(types(load(model_of({2, 4, 4}, attention("e m", 1)))) == "div mul add softmax");
}

TEST_CASE("a causal mask is recognised by its values") {
  const auto masked = [](float allowed) {
    return [allowed](ModelWriter& m) {
      const float never = -INFINITY;
      m.initializer(testbench::floats("m", {3, 3}, {0, never, never, 0, 0, never, allowed, 0, 0}));
      m.node("a = Add x m").node("y = Softmax a", {{"axis", -1}});
    };
  };
  CHECK(std::get<network::Softmax>(load(model_of({2, 3, 3}, masked(0))).operators[0].parameters).causal);
  CHECK_FALSE(
      std::get<network::Softmax>(load(model_of({2, 3, 3}, masked(1))).operators[0].parameters).causal);
}
