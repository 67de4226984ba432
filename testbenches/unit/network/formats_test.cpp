// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/network_run/formats.h"

#include <optional>

#include "testbenches/support/catch.h"
#include "testbenches/unit/network/network_run.h"

using namespace spica;
using network::ElementType;
using network::Network;
using testbench::load;
using testbench::ModelWriter;
using testbench::types;

namespace {

/// Two additions of constants, then a view that moves elements.
Network chain() {
  ModelWriter m;
  m.input("x", {4, 6}).numbers("b", {6}, 0.25F).numbers("c", {6}, 0.5F);
  m.node("s = Sub x b").node("t = Mul s c").node("y = Neg t").output("y");
  return load(m, {}, {false, false});
}

ElementType type_of(const Network& network, const network::Operand& operand) {
  return network.tensors[operand.tensor].type;
}

std::vector<std::optional<ElementType>> none(const Network& network) {
  return std::vector<std::optional<ElementType>>(network.operators.size());
}

}  // namespace

TEST_CASE(
    "without a choice all floating-point tensors have the format of the network, and nothing is added") {
  Network network = chain();
  const auto places = network::apply_formats(network, none(network), ElementType::kBf16);
  CHECK(types(network) == "sub mul neg");
  CHECK(places == std::vector<std::size_t>{0, 1, 2});
  for (const network::Tensor& tensor : network.tensors) CHECK(tensor.type == ElementType::kBf16);
}

TEST_CASE("an operator of another format has a cast in front of it and one behind it, each once") {
  Network network = chain();
  auto formats = none(network);
  formats[1] = ElementType::kFp16;
  const auto places = network::apply_formats(network, formats, ElementType::kFp32);
  REQUIRE(types(network) == "sub cast mul cast neg");
  CHECK(places == std::vector<std::size_t>{0, 2, 4});
  const network::Operator& product = network.operators[2];
  for (const network::Operand& operand : product.inputs)
    CHECK(type_of(network, operand) == ElementType::kFp16);
  CHECK(type_of(network, product.outputs[0]) == ElementType::kFp16);
  CHECK(type_of(network, network.operators[4].inputs[0]) == ElementType::kFp32);
  CHECK(type_of(network, network.inputs[0].operand) == ElementType::kFp32);
  for (const network::Row& row : network.rows) CHECK(network.operators[row.op].type() != "cast");
}

TEST_CASE("between two formats of 16 bits there is FP32") {
  Network network = chain();
  auto formats = none(network);
  formats[0] = ElementType::kFp16;
  formats[1] = formats[2] = ElementType::kBf16;
  network::apply_formats(network, formats, ElementType::kFp16);
  REQUIRE(types(network) == "sub cast cast mul neg");
  CHECK(type_of(network, network.operators[1].outputs[0]) == ElementType::kFp32);
  CHECK(type_of(network, network.operators[2].outputs[0]) == ElementType::kBf16);
}

TEST_CASE("a constant that operators of two formats read is there in both") {
  ModelWriter m;
  m.input("x", {4, 6}).numbers("b", {6}, 0.25F);
  m.node("s = Sub x b").node("y = Mul s b").output("y");
  Network network = load(m, {}, {false, false});
  const std::size_t before = network.tensors.size();
  auto formats = none(network);
  formats[1] = ElementType::kFp16;
  network::apply_formats(network, formats, ElementType::kFp32);
  REQUIRE(types(network) == "sub cast mul");
  const network::Operand &first = network.operators[0].inputs[1], &second = network.operators[2].inputs[1];
  CHECK(first.tensor != second.tensor);
  CHECK(type_of(network, first) == ElementType::kFp32);
  CHECK(type_of(network, second) == ElementType::kFp16);
  CHECK(network.tensors[second.tensor].name == "b (fp16)");
  CHECK(network.tensors.size() == before + 2);  // and the result of the cast
}

TEST_CASE("what only moves elements has the format of its operand, integers have no format") {
  ModelWriter m;
  m.input("x", {4, 6}).input("at", {2}, ElementType::kInt64).numbers("b", {6}, 0.25F);
  m.node("s = Sub x b").node("y = Gather s at").output("y");
  Network network = load(m, {}, {false, false});
  auto formats = none(network);
  formats[0] = ElementType::kFp16;
  network::apply_formats(network, formats, ElementType::kFp32);
  REQUIRE(types(network) == "cast sub gather");
  CHECK(type_of(network, network.operators[2].outputs[0]) == ElementType::kFp16);
  CHECK(type_of(network, network.operators[2].inputs[1]) == ElementType::kInt64);
}
