// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/debug/registers.h"

#include <regex>
#include <set>

#include "testbenches/support/catch.h"

using namespace spica;
using namespace spica::debug;

namespace {

/// The attributes `name` of all registers in a target description, in order.
std::vector<std::string> attributes(const std::string& text, const std::string& name) {
  const std::regex pattern("<reg [^>]*" + name + "=\"([^\"]+)\"");
  std::vector<std::string> values;
  for (std::sregex_iterator match(text.begin(), text.end(), pattern), end; match != end; ++match)
    values.push_back((*match)[1]);
  return values;
}

}  // namespace

TEST_CASE("the target description has each register once, those gdb insists on first") {
  const std::string text = target_description({});
  const auto names = attributes(text, "name"), numbers = attributes(text, "regnum");
  REQUIRE(names.size() == numbers.size());
  CHECK(std::set<std::string>(names.begin(), names.end()).size() == names.size());
  CHECK(std::set<std::string>(numbers.begin(), numbers.end()).size() == numbers.size());
  REQUIRE(names.size() > 100);
  CHECK(names[0] == "zero");
  CHECK(names[8] == "fp");
  CHECK(names[32] == "pc");
  CHECK(numbers[32] == "32");
  CHECK(names[33] == "ft0");
  for (const char* feature : {"org.gnu.gdb.riscv.cpu", "org.gnu.gdb.riscv.fpu", "org.gnu.gdb.riscv.csr"})
    CHECK(text.find(feature) != std::string::npos);
}

TEST_CASE("vectors of registers have as many elements as the machine has lanes") {
  soc::SocParams params;
  params.cluster.core.lanes = 4;
  const std::string text = target_description(params);
  CHECK(text.find("type=\"int32\" count=\"4\"") != std::string::npos);
  CHECK(text.find("<reg name=\"v_a0\" bitsize=\"128\" type=\"lanes_int\"") != std::string::npos);
  CHECK(text.find("<reg name=\"v_fa0\" bitsize=\"128\" type=\"lanes_float\"") != std::string::npos);
}
