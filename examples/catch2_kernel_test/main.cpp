// SPDX-License-Identifier: Apache-2.0
// Tests of a kernel as of any other function. Each run has a process of its own, so a program runs as many as it likes.
#include <spica/run.h>

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>  // Catch2 3
#else
#include <catch2/catch.hpp>  // Catch2 2
#endif
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace {

std::vector<int> random_values(unsigned seed) {
  std::mt19937 random(seed);
  std::vector<int> values(1024);
  for (int& value : values) value = static_cast<int>(random() % 2000) - 1000;
  return values;
}

spica::Result sum(const std::vector<int>& values, const std::string& mode) {
  return spica::run(SUM_ELF,
                    {"virgo", {"run.mode=" + mode}, {{"n", values.size()}}, {{"values", values}}, {"total"}});
}

}  // namespace

TEST_CASE("all values are added") {
  const std::string mode = GENERATE("cycle", "fast");
  for (unsigned seed = 0; seed < 3; ++seed) {
    const std::vector<int> values = random_values(seed);
    const spica::Result result = sum(values, mode);
    CHECK(result.good());
    CHECK(result.get<int>("total").front() == std::accumulate(values.begin(), values.end(), 0));
  }
}

TEST_CASE("a run is the same again, to the last count") {
  const std::vector<int> values = random_values(1);
  CHECK(sum(values, "cycle").statistics == sum(values, "cycle").statistics);
}

TEST_CASE("more values than there is room for are refused") {
  CHECK_THROWS_WITH(
      sum(std::vector<int>(1025), "cycle"),
      "input 'values': int32[1025] does not fit 'values', which is int32[1024]: that is too much");
}

TEST_CASE("a machine goes step by step") {
  spica::Machine machine = spica::Machine::separate("virgo", {"cluster.cores=1"});
  machine.load(SUM_ELF);
  machine.write("values", std::vector<int>{5, -7, 3});
  machine.arguments({{"n", 3}});
  while (machine.run_cycles(10) && machine.read<int>("total").front() == 0) {
  }
  CHECK(machine.read<int>("total").front() != 0);
  CHECK(machine.run().good());
  CHECK(machine.read<int>("total").front() == 1);
}
