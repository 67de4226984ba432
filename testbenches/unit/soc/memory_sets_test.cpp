// SPDX-License-Identifier: Apache-2.0
// The DRAM devices in configs/blocks/, as a configuration takes them, measured from outside: streams of reads come near
// the peak of the data sheet, and never above it.
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "models/main_memory/main_memory.h"
#include "platform/machine/soc/soc_config.h"
#include "testbenches/support/bench.h"
#include "testbenches/support/catch.h"

using namespace spica;

namespace {

main_memory::Params device(const std::string& block) {
  soc::SocParams params;
  const std::string set = "main_memory={extends: blocks/" + block + ".yaml}";
  config::apply(config::load("virgo", {set}, std::filesystem::path(SPICA_SOURCE_DIR) / "configs"), params);
  return params.main_memory;
}

/// GB/s of `lines` reads of 64 bytes at ascending addresses, all offered as fast as the memory takes them.
double streamed(const main_memory::Params& params, std::uint64_t lines) {
  testbench::Bench bench(protocol::Links::kDirect);
  main_memory::MainMemory memory("memory", params, bench.clock);
  testbench::TrafficAgent agent("agent", bench.clock);
  agent.socket.bind(memory.in);
  bench.add(memory);
  bench.add(agent);
  std::vector<protocol::LinePayload*> reads;
  for (std::uint64_t i = 0; i < lines; ++i) {
    reads.push_back(&agent.line(tlm::TLM_READ_COMMAND, params.base + 64 * i, 64));
    agent.at(0, *reads.back());
  }
  bench.run();
  base::Cycle last = 0;
  for (const auto* read : reads) {
    REQUIRE(read->is_response_ok());
    last = std::max(last, agent.done(*read));
  }
  return static_cast<double>(64 * lines) / (static_cast<double>(last) * 2.5);
}

/// Checks both sides, and that the whole memory has the peak that the file says in words.
void check(const std::string& block, double gb_per_s) {
  const main_memory::Params params = device(block);
  CHECK(params.peak_bytes_per_cycle(2500) / 2.5 == Approx(gb_per_s).epsilon(0.001));
  const double measured = streamed(params, 20000);
  INFO(block << ": " << measured << " GB/s of " << gb_per_s);
  CHECK(measured > 0.8 * gb_per_s);
  CHECK(measured <= gb_per_s * 1.0001);
}

}  // namespace

TEST_CASE("DDR3-1333 on two channels streams at its peak") { check("ddr3", 21.333); }
TEST_CASE("DDR4-3200 on two channels streams at its peak") { check("ddr4_3200", 51.2); }
TEST_CASE("LPDDR4-3200 on four channels streams at its peak") { check("lpddr4_3200", 25.6); }
TEST_CASE("LPDDR5-6400 on four channels streams at its peak") { check("lpddr5_6400", 51.2); }
TEST_CASE("GDDR6 on eight channels streams at its peak") { check("gddr6", 224.561); }
TEST_CASE("HBM2 on sixteen pseudo channels streams at its peak") { check("hbm2", 256); }
TEST_CASE("HBM2E on sixteen pseudo channels streams at its peak") { check("hbm2e", 409.6); }

TEST_CASE("memories that cannot be are refused, with the keys that contradict each other") {
  const auto refused = [](const std::vector<std::string>& sets) {
    soc::SocParams params;
    try {
      config::apply(config::load("virgo", sets, std::filesystem::path(SPICA_SOURCE_DIR) / "configs"), params);
    } catch (const config::ConfigError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  using Catch::Contains;
  const std::string dram = "main_memory.dram.";
  CHECK_THAT(refused({dram + "bank_groups=16"}), Contains("each bank group has at least one bank"));
  CHECK_THAT(refused({dram + "bank_bytes=32"}),
             Contains("0, or a power of two from access_bytes to row_bytes: 64 to"));
  CHECK_THAT(refused({dram + "bank_bytes=96"}), Contains("0, or a power of two"));
  CHECK_THAT(refused({dram + "bank_bytes=128"}),
             Contains("interleave_bytes must not be smaller than bank_bytes"));
  CHECK_THAT(refused({"main_memory.fixed.gb_per_s=0"}), Contains("main_memory.fixed.gb_per_s"));
  CHECK_THAT(refused({"main_memory.back_end=dramsys"}), Contains("built without DRAMSys"));
  CHECK(refused({dram + "bank_bytes=128", "main_memory.interleave_bytes=128"}) == "accepted");
}

TEST_CASE("a set changes the device and its channels, not the addresses and the queues") {
  const main_memory::Params params = device("lpddr4_3200");
  CHECK(params.base == 0x80000000);
  CHECK(params.dram.bank_groups == 1);
  CHECK(params.dram.scheduling == main_memory::Scheduling::kFrFcfs);
  CHECK(params.transaction_queue == main_memory::Params{}.transaction_queue);
}
