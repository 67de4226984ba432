// SPDX-License-Identifier: Apache-2.0
// Mistakes of the guest program, lost commands, reset.
#include <sstream>

#include "testbenches/block/matrix_unit/gemm_support.h"

using namespace spica;
using namespace spica::testbench;
using protocol::FaultKind;

namespace {

/// Runs `program` and returns the one fault it must cause.
template <class Program>
protocol::GuestFault only_fault(MatrixBench& b, Program&& program) {
  program(b.driver);
  b.bench.run();
  CHECK(b.idle());
  REQUIRE(b.faults.faults.size() == 1);
  const protocol::GuestFault fault = b.faults.faults[0];
  CHECK(fault.origin.core == b.driver.origin.core);
  CHECK(fault.origin.warp == b.driver.origin.warp);
  CHECK(fault.origin.pc == b.driver.origin.pc);
  return fault;
}

void bounds(Driver& d, std::uint64_t i, std::uint64_t j, std::uint64_t k) {
  d.rocc(MATRIX_UNIT_LOOP_BOUNDS, 0, k << 32 | j << 16 | i);
}

}  // namespace

TEST_CASE("an A tile outside shared memory is reported with its issuer and dropped") {
  MatrixBench b({});
  const auto fault = only_fault(b, [](Driver& d) {
    bounds(d, 8, 8, 8);
    d.rocc(MATRIX_UNIT_LOOP_SPAD_AB, 1600, 2048);
    d.rocc(MATRIX_UNIT_LOOP_WS, 0, MATRIX_UNIT_SKIPS_EXECUTE_ONLY);
  });
  CHECK(fault.kind == FaultKind::kBadMatrixCommand);
  CHECK(fault.severity == protocol::Severity::kFault);
  CHECK(fault.detail.find("rows 1600..2111") != std::string::npos);
  CHECK(b.unit.stats().block_operations.value() == 0);
}

TEST_CASE("a B tile that would start below row 0 is reported") {
  MatrixBench b({});
  const auto fault = only_fault(b, [](Driver& d) {
    bounds(d, 8, 8, 8);
    d.rocc(MATRIX_UNIT_LOOP_SPAD_AB, 0, 511);
    d.rocc(MATRIX_UNIT_LOOP_WS, 0, MATRIX_UNIT_SKIPS_LOAD_ONLY);
  });
  CHECK(fault.detail.find("B tile") != std::string::npos);
}

TEST_CASE("a C tile larger than the accumulator is reported") {
  MatrixBench b({});
  const auto fault = only_fault(b, [](Driver& d) {
    bounds(d, 9, 8, 1);
    d.rocc(MATRIX_UNIT_LOOP_SPAD_AB, 0, 2048);
    d.rocc(MATRIX_UNIT_LOOP_WS, 0, MATRIX_UNIT_SKIPS_EXECUTE_ONLY);
  });
  CHECK(fault.detail.find("accumulator") != std::string::npos);
}

TEST_CASE("zero bounds are reported") {
  MatrixBench b({});
  const auto fault =
      only_fault(b, [](Driver& d) { d.rocc(MATRIX_UNIT_LOOP_WS, 0, MATRIX_UNIT_SKIPS_EXECUTE_ONLY); });
  CHECK(fault.detail.find("bounds I=0") != std::string::npos);
}

TEST_CASE("an unknown function code is reported") {
  MatrixBench b({});
  const auto fault = only_fault(b, [](Driver& d) { d.rocc(99, 0, 0); });
  CHECK(fault.detail.find("99") != std::string::npos);
}

TEST_CASE("an unknown opcode is reported with the command set") {
  MatrixBench b({});
  const auto fault = only_fault(b, [](Driver& d) { d.cisc(7); });
  CHECK(fault.detail.find("quartile_v1") != std::string::npos);
}

TEST_CASE("a load from an address that does not exist names the core that asked for it") {
  MatrixBench b({});
  b.bus.bad = kA + 0x100;
  const auto fault = only_fault(b, [](Driver& d) {
    d.rocc(MATRIX_UNIT_CONFIG, 0x80101, 256);
    d.rocc(MATRIX_UNIT_CONFIG, 0x80109, 256);
    d.rocc(MATRIX_UNIT_LOOP_ADDRESS_AB, kA, kB);
    d.cisc(64u << 16 | 64u << 8 | MATRIX_UNIT_Q_STRIDE_AB);
    d.cisc(MATRIX_UNIT_Q_LOAD_0);
  });
  CHECK(fault.kind == FaultKind::kUnitAccess);
  CHECK(fault.address == 0xa0000000);
  REQUIRE(b.bus.origins.size() == 512);
  for (const auto& origin : b.bus.origins) {
    CHECK(origin.unit == protocol::Origin::Unit::kDma);
    CHECK(origin.pc == b.driver.origin.pc);
  }
}

TEST_CASE("a matrix unit that does not exist is reported") {
  MatrixBench b({});
  const auto fault = only_fault(b, [](Driver& d) { d.cisc(1u << MATRIX_UNIT_CISC_UNIT_SHIFT); });
  CHECK(fault.kind == FaultKind::kBadMatrixCommand);
}

TEST_CASE("registers that do not exist answer with an error") {
  MatrixBench b({});
  b.driver.read(MATRIX_UNIT_LOOPS);  // v2 only
  b.driver.read(MATRIX_UNIT_INSTRUCTION);
  b.driver.write(MATRIX_UNIT_BUSY, 1);
  b.bench.run();
  CHECK(b.driver.errors == 3);
  CHECK(b.idle());
}

TEST_CASE("without a queue a command during an expansion is lost") {
  MatrixBench b({});
  b.bench.run_for(10);
  b.unit.command(0, MATRIX_UNIT_Q_COMPUTE_0, b.driver.origin);
  b.unit.command(0, MATRIX_UNIT_Q_COMPUTE_1_ACCUMULATE, b.driver.origin);
  b.bench.run();
  CHECK(b.idle());
  CHECK(b.unit.stats().loops.value() == 1);
  CHECK(b.unit.stats().commands_lost.value() == 1);
  REQUIRE(b.faults.faults.size() == 1);
  CHECK(b.faults.faults[0].kind == FaultKind::kCommandLost);
  CHECK(b.faults.faults[0].severity == protocol::Severity::kWarning);
}

TEST_CASE("with a queue of four the sixth command in a row is lost") {
  MatrixBench::Options o;
  o.unit.command_set = CommandSet::kQuartile;
  o.unit.command_queue = 4;
  MatrixBench b(o);
  b.bench.run_for(10);
  for (int i = 0; i < 6; ++i) b.unit.command(0, MATRIX_UNIT_Q_COMPUTE_0, b.driver.origin);
  b.bench.run();
  CHECK(b.idle());
  CHECK(b.unit.stats().loops.value() == 5);
  CHECK(b.unit.stats().commands_lost.value() == 1);
  CHECK(b.faults.faults.size() == 1);
}

namespace {

/// Cores 0 and 2 write in one cycle, in the given order; core 2 must lose.
void two_cores(bool lower_first) {
  MatrixBench b({});
  protocol::Origin zero = b.driver.origin, two = b.driver.origin;
  zero.core = 0;
  two.core = 2;
  b.bench.run_for(10);
  if (lower_first) b.node.command(0, MATRIX_UNIT_Q_STRIDE_AB, zero);
  b.node.command(2, MATRIX_UNIT_Q_COMPUTE_0, two);
  if (!lower_first) b.node.command(0, MATRIX_UNIT_Q_STRIDE_AB, zero);
  b.bench.run();
  CHECK(b.unit.stats().cisc_commands.value() == 1);
  CHECK(b.unit.stats().loops.value() == 0);
  REQUIRE(b.faults.faults.size() == 1);
  CHECK(b.faults.faults[0].kind == FaultKind::kCommandLost);
  CHECK(b.faults.faults[0].origin.core == 2);
}

}  // namespace

TEST_CASE("of two cores in one cycle the lower-numbered wins when it comes first") { two_cores(true); }
TEST_CASE("of two cores in one cycle the lower-numbered wins when it comes last") { two_cores(false); }

namespace {

/// Resets everything after `cycles` cycles of the v1 loop and runs it again.
void reset_after(Cycle cycles) {
  MatrixBench b({});
  const unsigned n = 64, k = 128;
  const auto a = random_matrix(n * k, 1, OperandFormat::kFp32),
             w = random_matrix(k * n, 2, OperandFormat::kFp32);
  store(b.gmem, kA, a, OperandFormat::kFp32);
  store(b.gmem, kB, w, OperandFormat::kFp32);
  program_v1(b, n, n, k);
  b.bench.run_for(cycles);
  REQUIRE_FALSE(b.idle());
  for (base::Component* c :
       {static_cast<base::Component*>(&b.gmem), static_cast<base::Component*>(&b.shared),
        static_cast<base::Component*>(&b.dma), static_cast<base::Component*>(&b.unit),
        static_cast<base::Component*>(&b.node), static_cast<base::Component*>(&b.driver)})
    c->reset();
  b.gmem.socket.reset();
  CHECK(b.idle());
  CHECK_FALSE(b.unit.busy(b.unit.now()));
  b.bench.run_for(100);
  CHECK(b.idle());
  b.unit.stats().reset(b.unit.now());
  program_v1(b, n, n, k);
  b.bench.run();
  REQUIRE(b.idle());
  CHECK(b.faults.faults.empty());
  check_c(b, reference(a, w, n, n, k, 8), OperandFormat::kFp32);
  CHECK(b.unit.stats().macs.value() == std::uint64_t{n} * n * k);
}

}  // namespace

TEST_CASE("a reset during a load leaves the unit as fresh") { reset_after(700); }
TEST_CASE("a reset while a load overlaps a compute leaves the unit as fresh") { reset_after(2500); }
TEST_CASE("a reset during the store to global memory leaves the unit as fresh") { reset_after(10000); }

TEST_CASE("the dump names the running loop and who issued it") {
  MatrixBench b({});
  b.driver.cisc(MATRIX_UNIT_Q_LOAD_0);
  b.bench.run_for(60);
  std::ostringstream out;
  b.unit.dump_state(out);
  b.dma.dump_state(out);
  CHECK(out.str().find("load A under way") != std::string::npos);
  CHECK(out.str().find("core 1 warp 3 pc 0x80000040") != std::string::npos);
  CHECK(out.str().find("reads of global memory") != std::string::npos);
}
