// SPDX-License-Identifier: Apache-2.0
// The adapter for DRAMSys, compiled against the stand-in of its header: CI has no DRAMSys.
#include <DRAMSys/DRAMSys.h>

#include "testbenches/block/main_memory/memory_fixture.h"
#include "testbenches/support/catch.h"

using namespace spica;
using testbench::kBase;

namespace {

main_memory::Params dramsys(std::uint64_t requests = 64) {
  main_memory::Params params;
  params.back_end = main_memory::BackEndKind::kDramsys;
  params.dramsys.config = "ddr4-example.json";
  params.dramsys.requests = requests;
  return params;
}

}  // namespace

TEST_CASE("DRAMSys keeps the times of the memory, with its own configuration file") {
  REQUIRE(main_memory::has_dramsys());
  testbench::MemoryFixture f(dramsys());
  CHECK(DRAMSys::DRAMSys::read_from() == "ddr4-example.json");
  auto& write = f.agent.line(tlm::TLM_WRITE_COMMAND, kBase + 64, 64);
  write.data.fill(3);
  auto& read = f.read(kBase + 64);
  auto& beyond = f.read(kBase + (3 << 20) + 128);
  f.agent.at(10, write);
  f.agent.at(100, read);
  f.agent.at(200, beyond);
  f.bench.run();
  CHECK(f.agent.done(write) == 10 + 20);  // 50 ns
  CHECK(f.agent.done(read) == 100 + 20);
  CHECK(read.data[0] == 3);
  CHECK(f.agent.done(beyond) == 200 + 20);
  CHECK(DRAMSys::DRAMSys::addresses() == std::vector<std::uint64_t>{64, 64, 128});
  CHECK(f.dut.idle());
}

TEST_CASE("many requests at DRAMSys are all answered, no more than it may have at a time") {
  testbench::MemoryFixture f(dramsys(8));
  std::vector<protocol::LinePayload*> reads;
  for (unsigned i = 0; i < 200; ++i) {
    reads.push_back(&f.read(kBase + 64 * i));
    f.agent.at(0, *reads.back());
  }
  f.bench.run();
  for (const auto* read : reads) CHECK(read->is_response_ok());
  for (unsigned i = 8; i < 200; ++i) CHECK(f.agent.accepted(*reads[i]) >= f.agent.done(*reads[i - 8]));
  CHECK(f.dut.stats().reads.value() == 200);
  CHECK(f.dut.idle());
}
