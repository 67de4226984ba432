// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/network_run/network_map.h"

#include <fstream>

#include "platform/base/config/config.h"
#include "testbenches/support/catch.h"
#include "testbenches/unit/network/network_run.h"

using namespace spica;
using network::ElementType;
using network::Network;
using network::OperatorChoices;
using testbench::load;
using testbench::ModelWriter;
using testbench::TemporaryFolder;

namespace {

/// Products and softmax, each with two kernels.
constexpr const char* kKernels =
    "title: t\nkernel: network\nsource: network\nformats: [fp32]\nkernels:\n"
    "  - {operators: [Product], names: [product_lanes], operands: [a, b]}\n"
    "  - {operators: [Softmax], names: [softmax_short], operands: [x]}\n";

class Maps {
 public:
  Maps() {
    std::filesystem::create_directories(configs() / "network-kernels");
    for (const char* name : {"lanes.yaml", "unit.yaml"})
      std::ofstream(configs() / "network-kernels" / name) << kKernels;
  }

  std::filesystem::path configs() const { return folder_.root() / "configs"; }

  OperatorChoices choices(const std::string& rules, const Network& network) {
    std::ofstream(folder_.path("map.yaml")) << "rules:\n" << rules;
    return network::choices_of(config::load(folder_.path("map.yaml"), {}, configs(), network::kMapFiles),
                               configs(), network);
  }
  /// The text of its error.
  std::string refused(const std::string& rules, const Network& network) {
    try {
      choices(rules, network);
    } catch (const config::ConfigError& error) {
      return folder_.without_folder(error.what());
    }
    return "";
  }

 private:
  TemporaryFolder folder_;
};

/// Two products and a softmax.
Network attention() {
  ModelWriter m;
  m.input("x", {4, 6}).numbers("b", {6, 8}, 0.25F).numbers("c", {8, 3}, 0.5F);
  m.node("s = MatMul x b").node("t = Softmax s").node("y = MatMul t c").output("y");
  return load(m);
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("rules of a map choose by operator type and node name, and the last that matches decides") {
  Maps maps;
  const Network network = attention();
  const OperatorChoices found = maps.choices(
      "  - {operator: prod*, design: unit, format: fp16}\n"
      "  - {node: n_y, kernel: product_*}\n",
      network);
  REQUIRE(found.kernels.size() == 3);
  CHECK(found.kernels[0].design == "unit");
  CHECK(found.formats[0] == ElementType::kFp16);
  CHECK(found.kernels[1].empty());
  CHECK_FALSE(found.formats[1].has_value());
  CHECK(found.kernels[2].design.empty());
  CHECK(found.kernels[2].kernel == "product_*");
  CHECK(found.formats[2] == ElementType::kFp16);  // the later rule has no format
}

TEST_CASE("all errors of a map are reported at once, with what there is") {
  Maps maps;
  const std::string text = maps.refused(
      "  - {operator: produkt, design: unit}\n"
      "  - {operator: softmax, design: units}\n"
      "  - {node: \"*\", kernel: sofmax}\n"
      "  - {operator: product}\n"
      "  - {format: fp16}\n"
      "  - {node: lm_head, format: fp16}\n",
      attention());
  CHECK(has(text, "rules[0].operator"));
  CHECK(has(text, "'produkt' is unknown"));
  CHECK(has(text, " operator types"));
  CHECK(has(text, "did you mean"));
  CHECK(has(text, "lanes, unit"));
  CHECK(has(text, "'sofmax' is unknown"));
  CHECK(has(text, "rules[3]: the rule has no effect"));
  CHECK(has(text, "rules[4]: the rule has neither operator nor node"));
  CHECK(has(text, "no operator has the name 'lm_head'"));
  CHECK(has(text, "n_s, n_t, n_y"));
}

TEST_CASE(
    "a rule whose operators later rules all decide is an error, and one for a type that the network lacks") {
  Maps maps;
  const std::string text = maps.refused(
      "  - {operator: product, design: lanes}\n"
      "  - {operator: gelu_erf, format: fp16}\n"
      "  - {node: \"*\", design: unit}\n",
      attention());
  CHECK(has(text, "rules[0]: later rules decide for all operators that match"));
  CHECK(has(text, "the network has no 'gelu_erf'"));
}
