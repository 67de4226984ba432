// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/network/read_model.h"

#include <ctime>
#include <fstream>
#include <random>

#include "platform/base/input/user_error.h"
#include "testbenches/support/catch.h"
#include "testbenches/support/samples.h"
#include "testbenches/support/temporary_folder.h"
#include "testbenches/unit/network/model_writer.h"

using namespace spica;
using network::ElementType;
using network::Graph;
using testbench::Message;
using testbench::ModelWriter;
using testbench::TemporaryFolder;

namespace {

ModelWriter small_model(unsigned opset = 17) {
  ModelWriter model(opset);
  model.input("x", {"batch", 3}).initializer(testbench::floats("w", {3, 2}, {1, 2, 3, 4, 5, 6}));
  model.node("h = MatMul x w").node("y = Softmax h", {{"axis", -1}}).output("y");
  return model;
}

/// The text of the error of a file with these bytes, without the folder.
std::string refusal(const std::string& bytes) {
  const TemporaryFolder folder;
  std::ofstream(folder.path("m.onnx"), std::ios::binary) << bytes;
  try {
    network::read_model(folder.path("m.onnx"));
  } catch (const input::UserError& error) {
    return folder.without_folder(error.what());
  }
  return "";
}

}  // namespace

TEST_CASE("a model is read with its nodes, values, attributes and symbols") {
  const TemporaryFolder folder;
  const Graph graph = network::read_model(small_model().write(folder.path("m.onnx")));
  CHECK(graph.opset == 17);
  REQUIRE(graph.nodes.size() == 2);
  CHECK(graph.nodes[0].type == "MatMul");
  CHECK(graph.nodes[1].integer("axis", 0) == -1);
  REQUIRE(graph.inputs.size() == 1);
  const network::Value& x = graph.values[graph.inputs[0]];
  REQUIRE(x.declared->size() == 2);
  CHECK((*x.declared)[0].symbol == "batch");
  CHECK((*x.declared)[1].extent == 3);
  const network::Value& w = graph.values[graph.nodes[0].inputs[1]];
  REQUIRE(w.constant);
  CHECK(w.constant->extents == network::Extents{3, 2});
  CHECK(w.constant->number_at(5) == 6);
  CHECK(graph.values[graph.outputs.at(0)].name == "y");
}

TEST_CASE("weights in a file of their own are mapped, inside that file") {
  const TemporaryFolder folder;
  const auto external = [](const std::string& location, const std::string& offset,
                           const std::string& length) {
    const auto entry = [](const std::string& key, const std::string& value) {
      return Message().bytes(1, key).bytes(2, value).text();
    };
    return Message()
        .integer(1, 2)
        .integer(2, 1)
        .bytes(8, "w")
        .bytes(13, entry("location", location))
        .bytes(13, entry("offset", offset))
        .bytes(13, entry("length", length))
        .integer(14, 1)
        .text();
  };
  const float data[] = {0, 1.5F, 2.5F};
  std::ofstream(folder.path("w.bin"), std::ios::binary)
      .write(reinterpret_cast<const char*>(data), sizeof data);
  const auto read = [&](const std::string& tensor) {
    ModelWriter model;
    model.input("x", {2}).initializer(tensor).node("y = Add x w").output("y");
    return network::read_model(model.write(folder.path("m.onnx")));
  };
  const Graph graph = read(external("w.bin", "4", "8"));
  CHECK(graph.values[graph.nodes[0].inputs[1]].constant->number_at(1) == 2.5);
  using Catch::Contains;
  CHECK_THROWS_WITH(read(external("w.bin", "8", "8")),
                    Contains("tensor 'w'") && Contains("behind the end of w.bin"));
  CHECK_THROWS_WITH(read(external("w.bin", "18446744073709551612", "8")), Contains("behind the end"));
  CHECK_THROWS_WITH(read(external("w.bin", "0", "4")), Contains("4 bytes for 8 bytes of 2"));
  CHECK_THROWS_WITH(read(external("../w.bin", "0", "8")), Contains("in the folder of the model"));
  CHECK_THROWS_WITH(read(external("/etc/passwd", "0", "8")), Contains("in the folder of the model"));
  CHECK_THROWS_WITH(read(external("none.bin", "0", "8")), Contains("No such file"));
}

TEST_CASE("a file that is not ONNX is refused by its format, with the way to export") {
  using Catch::Contains;
  CHECK_THAT(refusal(std::string("\x1c\0\0\0TFL3 and more", 16)),
             Contains("TFLite") && Contains("torch.onnx.export"));
  CHECK_THAT(refusal("PK\x03\x04 a zip"), Contains("TorchScript"));
  CHECK_THAT(refusal("module @jit { func.func @main() { stablehlo.add } }"), Contains("StableHLO"));
  CHECK_THAT(refusal(std::string("\x10\0\0\0\0\0\0\0{\"w\":{}}", 16)), Contains("safetensors"));
  CHECK_THAT(refusal(""), Contains("the file is empty"));
  CHECK_THAT(refusal(small_model(10).bytes()),
             Contains("operator set 10 is not supported; supported: 11 to 21"));
  CHECK_THAT(refusal(small_model(22).bytes()), Contains("operator set 22"));
}

TEST_CASE("an error in a file names the node or tensor and the byte") {
  using Catch::Contains;
  ModelWriter undefined;
  undefined.input("x", {1}).node("y = Add x missing").output("y");
  CHECK_THAT(refusal(undefined.bytes()),
             Contains("byte ") && Contains("node 'n_y' (Add)") && Contains("'missing' is not computed"));
  ModelWriter twice;
  twice.input("x", {1}).node("y = Abs x").node("y = Neg x").output("y");
  CHECK_THAT(refusal(twice.bytes()), Contains("(Neg)") && Contains("'y' is defined twice"));
  ModelWriter small;
  small.input("x", {1}).initializer(testbench::floats("w", {3}, {1, 2})).node("y = Add x w").output("y");
  CHECK_THAT(refusal(small.bytes()), Contains("tensor 'w'") && Contains("8 bytes for 3 elements of fp32"));
  ModelWriter words;
  words.input("x", {1})
      .initializer(Message().integer(2, 8).bytes(8, "s").text())
      .node("y = Add x s")
      .output("y");
  CHECK_THAT(refusal(words.bytes()), Contains("elements of string are not supported"));
  const std::string whole = small_model().bytes();
  CHECK_THAT(refusal(whole.substr(0, whole.size() / 2)), Contains("does not fit"));
}

TEST_CASE("a damaged file is read or refused, and nothing else happens") {
  const TemporaryFolder folder;
  ModelWriter rich = small_model();
  rich.list("axes", {0})
      .node("r = ReduceSum y axes", {{"keepdims", 0}})
      .node("z = Constant", {{"value", testbench::TensorText{testbench::integers("", {1, 2})}}});
  rich.node("e = Elu r", {{"alpha", 0.5}}).output("e");
  const std::string whole = rich.bytes();
  std::mt19937 random(1);
  const std::string path = folder.path("m.onnx");
  unsigned refused = 0, tried = 0;
  const std::clock_t start = std::clock();
  for (; tried < testbench::samples(3000) && std::clock() - start < 60 * CLOCKS_PER_SEC; ++tried) {
    std::string bytes = whole;
    for (unsigned changes = 1 + random() % 3; changes > 0; --changes) {
      const std::size_t at = random() % bytes.size();
      switch (random() % 4) {
        case 0: bytes[at] = static_cast<char>(random()); break;
        case 1: bytes[at] = static_cast<char>(bytes[at] ^ 1 << random() % 8); break;
        case 2: bytes.erase(at, 1 + random() % 8); break;
        default: bytes.insert(at, 1 + random() % 4, static_cast<char>(0xFF)); break;
      }
      if (bytes.empty()) break;
    }
    std::ofstream(path, std::ios::binary) << bytes;
    try {
      network::read_model(path);
    } catch (const input::UserError&) {
      ++refused;
    }
  }
  CHECK(refused > tried / 2);
  CHECK(refused < tried);
}
