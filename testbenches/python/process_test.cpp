// SPDX-License-Identifier: Apache-2.0
// Machines in processes of their own, from C++.
#include <spica/run.h>

#include <cstdlib>
#include <string>
#include <thread>

#include "testbenches/support/catch.h"

using Catch::Contains;
using spica::Machine;
using spica::Type;

namespace {

std::string elf() { return SPICA_TEST_ELF; }

spica::Options small() {
  spica::Options options;
  options.settings = {"cluster.cores=2"};
  return options;
}

template <class Thrown, class Action>
std::string text_of(Action&& action) {
  try {
    action();
  } catch (const Thrown& error) {
    return error.what();
  }
  return "not thrown";
}

}  // namespace

TEST_CASE("a kernel is a function of its arguments and inputs, any number of times in one process") {
  spica::Options options = small();
  const std::vector<float> x{1, 2, 3, 4};
  options.inputs = {{"x", x}};
  options.outputs = {"y", "table"};
  for (const int factor : {0, 1, -2}) {
    options.arguments = {{"factor", factor}, {"offset", -1}};
    const spica::Result result = spica::run(elf(), options);
    CHECK(result.good());
    CHECK(result.output == "64 elements\n");
    CHECK(result.statistics.at("simulated_cycles") == result.cycles);
    const std::vector<float> y = result.get<float>("y");
    REQUIRE(y.size() == 64);
    for (unsigned i = 0; i < 4; ++i) CHECK(y[i] == static_cast<float>(factor) * x[i] - 1);
    CHECK(result.outputs.at("table").type.text() == "int32[4][8]");
    CHECK_THROWS_WITH(result.get<int>("y"), "'y' is float32[64], not int32");
    CHECK_THROWS_WITH(result.get<float>("z"), Contains("not one of the requested outputs"));
  }
}

TEST_CASE("all that is wrong with what run() is given is one Error") {
  spica::Options options = small();
  options.arguments = {{"nn", 1}, {"factor", "x y"}};
  options.inputs = {{"x", std::vector<int>(4)}, {"none", std::vector<int>(1)}};
  options.outputs = {"limits"};
  const std::string text = text_of<spica::Error>([&] { spica::run(elf(), options); });
  for (const char* part : {"there is no such argument", "'x y' is not a floating-point number",
                           "input 'x': int32[4] does not fit 'x', which is float32[64]: the elements differ",
                           "input 'none': ", "output 'limits': ", "did you mean \"limit\"?"})
    CHECK_THAT(text, Contains(part));
  CHECK_THROWS_WITH(spica::Input("x", std::vector<int>(4), {2, 3}),
                    "input 'x': 4 values do not fill int32[2][3]");
}

TEST_CASE("a fault and a hang are GuestFaults with what there is") {
  spica::Options options = small();
  options.outputs = {"y"};
  options.inputs = {{"x", std::vector<float>(64, 2)}};
  options.arguments = {{"mode", 1}};
  try {
    spica::run(elf(), options);
    FAIL("it faults");
  } catch (const spica::GuestFault& fault) {
    CHECK(fault.result.end == spica::Outcome::End::kFault);
    REQUIRE(fault.result.faults.size() == 1);
    CHECK(fault.result.faults[0].function == "end_otherwise");
    CHECK_THAT(fault.result.faults[0].file, Catch::EndsWith("kernel.cpp"));
    CHECK(fault.result.faults[0].line > 0);
    CHECK(fault.result.get<float>("y")[63] == 2);
    CHECK_THAT(fault.what(), Contains("an access to an unmapped address"));
  }
  options.arguments = {{"mode", 2}};
  options.settings.push_back("run.max_cycles=30000");
  CHECK_THAT(text_of<spica::GuestFault>([&] { spica::run(elf(), options); }),
             Contains("run.max_cycles = 30000"));
}

TEST_CASE("machines side by side and in threads give what each gives alone") {
  const std::uint64_t alone = spica::run(elf(), small()).cycles;
  Machine first = Machine::separate("virgo", {"cluster.cores=2"});
  Machine second = Machine::separate("virgo", {"cluster.cores=2"});
  first.load(elf());
  second.load(elf());
  second.write("limit", std::vector<unsigned>{9});
  CHECK(first.read<unsigned>("limit") == std::vector<unsigned>{7});
  for (bool runs = true; runs;) {
    runs = first.run_cycles(1000);
    runs = second.run_cycles(777) || runs;
  }
  CHECK(first.run().cycles == alone);
  CHECK(second.run().cycles == alone);
  CHECK(first.counts() == second.counts());
  CHECK(first.seconds() == Approx(static_cast<double>(alone) / 400e6));
  CHECK(first.warp(1, 0).lane_count == 8);
  CHECK(!first.warp(1, 0).running);
  CHECK_THAT(first.configuration(), Contains("cores: 2"));

  std::vector<std::thread> threads;
  std::vector<std::uint64_t> cycles(4);
  for (std::uint64_t& mine : cycles)
    threads.emplace_back([&mine] { mine = spica::run(elf(), small()).cycles; });
  for (std::thread& thread : threads) thread.join();
  CHECK(cycles == std::vector<std::uint64_t>(4, alone));
}

TEST_CASE("memory of any size goes through and what is outside is refused") {
  Machine machine = Machine::separate("virgo", {"cluster.cores=1"});
  CHECK_THROWS_WITH(machine.cycles(), Contains("load()"));
  machine.load(elf());
  std::vector<std::uint64_t> much(1 << 20);
  for (std::size_t i = 0; i < much.size(); ++i) much[i] = i * 0x9E3779B97F4A7C15u;
  machine.write(0xA0000000, much);
  CHECK(machine.read<std::uint64_t>(0xA0000000, much.size()) == much);
  CHECK_THROWS_WITH(machine.read<int>(0x10, 1), Contains("lies outside memory"));
  CHECK_THROWS_WITH(machine.write(0x10, much), Contains("lies outside memory"));
  CHECK_THROWS_WITH(machine.load(elf()), Contains("Machine::separate()"));
  CHECK(machine.run().good());
}

TEST_CASE("a machine of another program or none is an Error") {
  setenv("SPICA_PROGRAM", "/no/spica", 1);
  CHECK_THROWS_WITH(Machine::separate(), "cannot start '/no/spica': No such file or directory");
  setenv("SPICA_PROGRAM", "/bin/false", 1);
  CHECK_THROWS_AS(Machine::separate(), spica::InternalError);
  unsetenv("SPICA_PROGRAM");
  CHECK(text_of<spica::Error>([] {
          Machine::separate("virgo", {"cluster.coers=2", "clock_mhz=0"});
        }).find('\n') != std::string::npos);
}

TEST_CASE("numbers go into arguments as they are") {
  CHECK(spica::Value(0.1).text() == "0.1");
  CHECK(spica::Value(0.1f).text() == "0.1");
  CHECK(spica::Value(1e300).text() == "1e+300");
  CHECK(spica::Value(true).text() == "1");
  CHECK(spica::Value(-3L).text() == "-3");
  // Halfway between two floats, up to its last bit: digits that are enough for a double would be rounded to the other
  // one.
  for (const double number :
       {1 + 0x1p-24, 1 + 0x1p-24 + 0x1p-52, 0x1.000001p-30, 16777217.0, 5e-324, 1 / 3.0}) {
    const std::string text = spica::Value(number).text();
    CHECK(std::strtof(text.c_str(), nullptr) == static_cast<float>(number));
    CHECK(std::strtod(text.c_str(), nullptr) == number);
  }
}
