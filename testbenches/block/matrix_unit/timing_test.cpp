// SPDX-License-Identifier: Apache-2.0
// When things happen: start-up, streaming, drain, busy bit, bank conflicts, back-pressure.
#include "testbenches/block/matrix_unit/gemm_support.h"

using namespace spica;
using namespace spica::testbench;
using matrix_unit::Activity;

namespace {

std::uint64_t charged(MatrixBench& b, Activity reason) {
  return b.unit.stats().cycles.cycles(static_cast<unsigned>(reason));
}

/// Fills a tile of A at the start and of B at the end of shared memory with small numbers.
void fill_shared(MatrixBench& b) {
  for (std::size_t i = 0; i < b.shared.bytes().size(); i += 4) {
    const float value = static_cast<float>(i % 13) - 6;
    std::memcpy(&b.shared.bytes()[i], &value, 4);
  }
}

}  // namespace

TEST_CASE("a 64x64x64 tile takes 4096 cycles plus start-up and drain") {
  MatrixBench b({});
  const auto& p = b.options.unit;
  fill_shared(b);
  b.driver.cisc(MATRIX_UNIT_Q_COMPUTE_0);
  b.bench.run();
  REQUIRE(b.unit.idle());
  const Cycle written = b.driver.commands.at(0);
  // CSR write to first operand read: node, expansion of three commands, loop registers, loop start,
  // reservation station, execute queue; the hardware needs 10 to 15 cycles.
  const Cycle start_up = b.shared.first_read - written;
  CHECK(start_up >= 10);
  CHECK(start_up <= 15);
  // First weights: DIM rows. Then one row of A per cycle without a bubble; the last row's sum
  // follows array_latency() later.
  const Cycle last_row = b.shared.first_read + b.options.smem_latency + p.dim + 512 * p.dim - 1;
  const Cycle done = last_row + p.array_latency();
  CHECK(p.array_latency() == 2 * p.dim + 4);
  CHECK(b.unit.busy(done - 1));
  CHECK_FALSE(b.unit.busy(done));
  b.unit.settle_stats();
  CHECK(charged(b, Activity::kComputing) == 4096);
  CHECK(charged(b, Activity::kPreloading) == p.dim);
  CHECK(charged(b, Activity::kOperandWait) == b.options.smem_latency);
  CHECK(charged(b, Activity::kDraining) == p.array_latency() - 1);
  CHECK(charged(b, Activity::kLoadWait) == 0);
  CHECK(b.unit.stats().cycles.total() == b.unit.now());
}

TEST_CASE("two computes in a row leave no bubble between the tiles") {
  MatrixBench::Options o;
  o.unit.command_set = CommandSet::kQuartile;
  o.unit.command_queue = 4;
  MatrixBench b(o);
  fill_shared(b);
  b.driver.cisc(MATRIX_UNIT_Q_COMPUTE_0);
  b.driver.cisc(MATRIX_UNIT_Q_COMPUTE_1_ACCUMULATE);
  b.bench.run();
  REQUIRE(b.unit.idle());
  b.unit.settle_stats();
  CHECK(charged(b, Activity::kComputing) == 2 * 4096);
  CHECK(charged(b, Activity::kPreloading) == b.options.unit.dim);  // only the very first weights
  CHECK(charged(b, Activity::kOperandWait) == b.options.smem_latency);
}

TEST_CASE("A and B in one bank read at half rate while weights move in") {
  MatrixBench::Options o;
  o.one_bank = true;
  MatrixBench b(o);
  fill_shared(b);
  b.driver.cisc(MATRIX_UNIT_Q_COMPUTE_0);
  b.bench.run();
  REQUIRE(b.unit.idle());
  b.unit.settle_stats();
  // 63 of 64 weight blocks move in during a compute, DIM rows each. Reads run up to operand_rows
  // ahead, which hides part of the conflict of a block but never makes up for the lost cycles.
  const std::uint64_t conflicts = 63 * b.options.unit.dim;
  CHECK(charged(b, Activity::kComputing) == 4096);
  CHECK(charged(b, Activity::kOperandWait) >= conflicts - b.options.unit.operand_rows);
  CHECK(charged(b, Activity::kOperandWait) <=
        conflicts + b.options.smem_latency + b.options.unit.operand_rows);
}

TEST_CASE("shared memory slower than the rows in flight limits the rate") {
  MatrixBench::Options o;
  o.smem_latency = 32;
  o.unit.operand_rows = 16;
  MatrixBench b(o);
  b.driver.cisc(MATRIX_UNIT_Q_COMPUTE_0);
  b.bench.run();
  REQUIRE(b.unit.idle());
  b.unit.settle_stats();
  // 16 rows per 32 cycles.
  const Cycle busy = charged(b, Activity::kComputing) + charged(b, Activity::kOperandWait);
  CHECK(busy >= 4096 * 32 / 16);
  CHECK(busy <= 4096 * 33 / 16 + 64);
}

TEST_CASE("the busy bit rises two cycles after a command and falls with the last result") {
  MatrixBench b({});
  // A store of nothing but a configuration: busy for as long as the front end works on it.
  b.driver.cisc(MATRIX_UNIT_Q_COMPUTE_0);
  b.bench.run_for(3);
  const Cycle unit_sees = b.driver.commands.at(0) + 1;  // the node takes a cycle
  b.bench.run_for(40);
  CHECK_FALSE(b.unit.busy(unit_sees + b.options.unit.busy_latency - 1));
  CHECK(b.unit.busy(b.unit.now()));
  CHECK(b.node.busy() == 1);
  b.bench.run();
  CHECK(b.node.busy() == 0);
  CHECK_FALSE(b.unit.busy(b.unit.now()));
}

TEST_CASE("a fence by MMIO returns after the results are in the accumulator") {
  MatrixBench b({});
  b.driver.cisc(MATRIX_UNIT_Q_COMPUTE_0);
  b.driver.fence();
  b.bench.run();
  REQUIRE(b.idle());
  CHECK(b.driver.last > b.driver.commands.at(0) + 4096);
  CHECK(b.driver.last < b.driver.commands.at(0) + 4096 + 80);
  CHECK(b.unit.stats().accumulator_rows_added.value() == 512 * 8);
}

TEST_CASE("a launch by MMIO is held while a CISC command expands and while both loops run") {
  MatrixBench b({});
  Driver& d = b.driver;
  d.cisc(MATRIX_UNIT_Q_COMPUTE_0);
  d.wait(4);
  d.cisc(MATRIX_UNIT_Q_COMPUTE_1_ACCUMULATE);
  // Both slots are taken now; the front end still takes two commands into its queue, the third
  // store waits.
  for (int i = 0; i < 3; ++i)
    d.write(MATRIX_UNIT_INSTRUCTION, MATRIX_UNIT_LOOP_BOUNDS << MATRIX_UNIT_FUNCTION_SHIFT);
  b.bench.run_for(2000);
  CHECK(b.unit.stats().mmio_commands.value() == 2);
  b.bench.run_for(3000);  // the first loop has issued everything, a slot is free
  CHECK(b.unit.stats().mmio_commands.value() == 3);
  b.bench.run();
  CHECK(b.idle());
}

TEST_CASE("the running-loop counter follows counted commands and completed loops") {
  MatrixBench::Options o;
  o.unit.command_set = CommandSet::kHexadecile;
  o.unit.command_queue = 4;
  MatrixBench b(o);
  Driver& d = b.driver;
  const std::uint32_t compute = 15u << 16 | 0u << 8 | MATRIX_UNIT_H_COMPUTE;
  d.read(MATRIX_UNIT_LOOPS);
  d.cisc(compute);
  d.cisc(compute);
  d.read(MATRIX_UNIT_LOOPS);
  d.wait(4300);
  d.read(MATRIX_UNIT_LOOPS);
  d.fence();
  d.read(MATRIX_UNIT_LOOPS);
  d.cisc(MATRIX_UNIT_H_COUNT_LOOP);
  d.read(MATRIX_UNIT_LOOPS);
  b.bench.run();
  CHECK(d.values == std::vector<std::uint32_t>{0, 2, 1, 0, 1});
}

TEST_CASE("slow global memory makes loads slow and nothing else") {
  MatrixBench::Options o;
  o.gmem_latency = 200;
  MatrixBench b(o);
  program_v1(b, 64, 64, 128);
  b.bench.run();
  REQUIRE(b.idle());
  b.unit.settle_stats();
  // 16 requests of 64 bytes per round trip; the first tile's load is in the open.
  const Cycle round_trip = o.gmem_latency + b.options.dma.translate_latency;
  const Cycle load = 512 * round_trip / 16;
  CHECK(charged(b, Activity::kLoading) >= load);
  CHECK(charged(b, Activity::kLoading) <= 2 * load - 4096 + 800);
  CHECK(charged(b, Activity::kComputing) == 2 * 4096);
}
