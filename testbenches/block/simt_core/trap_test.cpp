// SPDX-License-Identifier: Apache-2.0

#include "testbenches/block/simt_core/core_bench.h"

#include "testbenches/support/catch.h"

using namespace spica;
using namespace spica::testbench;
using namespace spica::testbench::rv;

namespace {

constexpr u32 kMtvec = 0x305, kMepc = 0x341, kMcause = 0x342, kMtval = 0x343;
constexpr u32 mret() { return 0x30200073; }
constexpr u32 fence_i() { return 0x0000100F; }
constexpr u32 unimp() { return 0xC0001073; }

/// Sets mtvec to the word `handler` words past the entry.
std::vector<u32> with_handler(std::vector<u32> body, const std::vector<u32>& handler) {
  const auto at = static_cast<int>(4 * (3 + body.size()));
  std::vector<u32> program = {lui(31, 0x80000), addi(31, 31, at), csrrw(0, kMtvec, 31)};
  program.insert(program.end(), body.begin(), body.end());
  program.insert(program.end(), handler.begin(), handler.end());
  return program;
}

}  // namespace

TEST_CASE("with a handler an illegal instruction traps and nothing is reported") {
  CoreBench bench;
  bench.run_program(with_handler({addi(1, 0, 1), 0xFFFF'FFFF, addi(2, 0, 1)},
                                 {csrrs(5, kMcause, 0), csrrs(6, kMepc, 0), csrrs(7, kMtval, 0), tmc(0)}));
  CHECK(bench.faults.faults.empty());
  CHECK(bench.x(5) == 2);
  CHECK(bench.x(6) == CoreBench::kCode + 16);
  CHECK(bench.x(7) == 0xFFFF'FFFF);
  CHECK(bench.x(2) == 0);  // what was fetched after it did not run
  CHECK(bench.core.stats().traps.value() == 1);
}

TEST_CASE("a handler that skips the instruction continues after it") {
  CoreBench bench;
  bench.run_program(with_handler({lui(4, 0x10000), lw(5, 4, 0), addi(6, 0, 9), tmc(0)},
                                 {csrrs(7, kMepc, 0), addi(7, 7, 4), csrrw(0, kMepc, 7), mret()}));
  CHECK(bench.faults.faults.empty());
  CHECK(bench.x(5) == 0);
  CHECK(bench.x(6) == 9);
  CHECK(bench.global.requests == 0);
}

TEST_CASE("older loads of the warp finish before and after a trap") {
  CoreBench bench;
  bench.global.words[0x9000'0000] = 77;
  bench.run_program(with_handler({lui(4, 0x90000), lw(5, 4, 0), ecall()}, {add(6, 5, 5), tmc(0)}));
  CHECK(bench.x(5) == 77);
  CHECK(bench.x(6) == 154);
}

TEST_CASE("mistakes of the SIMT extension are reported whatever handler there is") {
  CoreBench bench;
  bench.run_program(with_handler({addi(1, 0, 1), join(1), tmc(0)}, {tmc(0)}));
  REQUIRE(bench.faults.faults.size() == 1);
  CHECK(bench.faults.faults[0].kind == protocol::FaultKind::kJoinWithoutSplit);
  CHECK_THAT(bench.faults.faults[0].detail,
             Catch::Contains("faults of this kind do not go to a trap handler"));
}

TEST_CASE("an atomic at a peripheral is refused before it is sent") {
  CoreBench bench;
  bench.run_program({lui(4, 0xFF010), amoadd(5, 4, 4), tmc(0)});
  REQUIRE(bench.faults.faults.size() == 1);
  CHECK(bench.faults.faults[0].kind == protocol::FaultKind::kAtomicRefused);
  CHECK(bench.faults.faults[0].address == CoreBench::kPeripheral);
}

TEST_CASE("without machine mode a handler is never entered") {
  simt_core::Params params;
  params.machine_mode = false;
  CoreBench bench(params);
  bench.run_program(with_handler({csrrs(5, kMtvec, 0), ecall()}, {tmc(0)}));
  REQUIRE(bench.faults.faults.size() == 1);
  CHECK(bench.faults.faults[0].kind == protocol::FaultKind::kEnvironmentCall);
  CHECK(bench.x(5) == 0);
}

TEST_CASE("without a handler an unknown register reads 0 and takes writes, as in the published core") {
  CoreBench bench;
  bench.run_program({addi(4, 0, 5), csrrw(5, 0x7C0, 4), csrrw(6, 0xF14, 4), tmc(0)});
  REQUIRE(bench.faults.faults.size() == 2);
  CHECK(bench.faults.faults[0].kind == protocol::FaultKind::kUnknownCsr);
  CHECK(bench.faults.faults[1].kind == protocol::FaultKind::kReadOnlyCsr);
  for (const protocol::GuestFault& warning : bench.faults.faults)
    CHECK(warning.severity == protocol::Severity::kWarning);
  CHECK(bench.x(5) == 0);
}

TEST_CASE("unimp without a handler is a fault") {
  CoreBench bench;
  bench.run_program({addi(1, 0, 1), unimp(), addi(2, 0, 1), tmc(0)});
  REQUIRE(bench.faults.faults.size() == 1);
  CHECK(bench.faults.faults[0].kind == protocol::FaultKind::kIllegalInstruction);
  CHECK(bench.faults.faults[0].severity == protocol::Severity::kFault);
  CHECK_THAT(bench.faults.faults[0].detail, Catch::Contains("__builtin_trap()"));
  CHECK(bench.x(2) == 0);
}

TEST_CASE("unimp with a handler traps") {
  CoreBench bench;
  bench.run_program(with_handler({addi(1, 0, 1), unimp(), addi(2, 0, 1)},
                                 {csrrs(5, kMcause, 0), csrrs(7, kMtval, 0), tmc(0)}));
  CHECK(bench.faults.faults.empty());
  CHECK(bench.x(5) == 2);
  CHECK(bench.x(7) == unimp());
  CHECK(bench.x(2) == 0);
}

TEST_CASE("fence.i holds the fetch until the stores before it are done") {
  CoreBench bench;
  bench.run_program({lui(4, 0x90000), sw(4, 4, 0), fence_i(), addi(5, 0, 1), tmc(0)});
  CHECK(bench.x(5) == 1);
  CHECK(bench.faults.faults.empty());
}

TEST_CASE("a misaligned store in pieces leaves as one request for each byte") {
  simt_core::Params params;
  params.misaligned = simt_core::Misaligned::kComplete;
  CoreBench bench(params);
  bench.global.words[0x9000'0000] = 0x1111'1111;
  bench.run_program({lui(4, 0x90000), lui(5, 0xA1B2C), addi(5, 5, 0x3D4), sw(5, 4, 3), lw(6, 4, 3),
                     i_type(0x03, 1, 7, 4, 5), tmc(0)});
  CHECK(bench.faults.faults.empty());
  CHECK(bench.global.words[0x9000'0000] == 0xD411'1111);
  CHECK(bench.global.words[0x9000'0004] == 0x00A1'B2C3);
  CHECK(bench.x(6) == 0xA1B2'C3D4);
  CHECK(bench.x(7) == 0xFFFF'A1B2);
  CHECK(bench.global.requests == 4 + 4 + 2);
}

TEST_CASE("a misaligned load gives each lane its own bytes") {
  simt_core::Params params;
  params.misaligned = simt_core::Misaligned::kComplete;
  CoreBench bench(params);
  for (u32 i = 0; i < 16; ++i)
    bench.shared.words[CoreBench::kShared + 4 * i] = 0x0302'0100u + 0x0404'0404u * i;
  // lane n at byte 5 n: some aligned, most not
  bench.run_program({addi(1, 0, 0xFF), tmc(1), csrrs(2, 0xCC0, 0), slli(3, 2, 2), add(3, 3, 2),
                     lui(4, 0xFF000), add(4, 4, 3), lw(5, 4, 0), tmc(0)});
  CHECK(bench.faults.faults.empty());
  for (u32 lane = 0; lane < 8; ++lane) CHECK(bench.x(5, lane) == 0x0302'0100u + 0x0101'0101u * 5 * lane);
}
