// SPDX-License-Identifier: Apache-2.0
// Random command sequences on units of all revisions, compared with the independent model byte for
// byte.
#include "testbenches/block/matrix_unit/random_commands.h"

#include "testbenches/block/matrix_unit/matrix_bench.h"
#include "testbenches/support/catch.h"

using namespace spica;
using namespace spica::testbench;
using matrix_unit::CommandSet;
using matrix_unit::OperandFormat;

namespace {

using Commands = UnitModel::Commands;

MatrixBench::Options options_of(const UnitModel::Shape& shape) {
  MatrixBench::Options o;
  o.unit.dim = shape.dim;
  o.unit.operand = shape.fp16 ? OperandFormat::kFp16 : OperandFormat::kFp32;
  o.unit.accumulate = shape.fp16_sums ? matrix_unit::SumFormat::kFp16 : matrix_unit::SumFormat::kStandard;
  o.unit.accumulator_bytes = shape.accumulator_bytes;
  o.unit.tile_m = shape.tile_m;
  o.unit.tile_n = shape.tile_n;
  o.unit.tile_k = shape.tile_k;
  o.unit.shared_bytes = shape.shared_bytes;
  o.unit.command_set = shape.commands == Commands::kQuartile8    ? CommandSet::kQuartileV1
                       : shape.commands == Commands::kQuartile12 ? CommandSet::kQuartile
                                                                 : CommandSet::kHexadecile;
  o.unit.command_queue = UnitModel::queue_of(shape);
  o.dma.accumulator_row_bytes = 4 * shape.dim;
  return o;
}

class BenchSink final : public CommandSink {
 public:
  explicit BenchSink(MatrixBench& bench) : bench_(bench) {}
  void set_global(std::uint32_t address, std::uint8_t value) override { bench_.gmem.byte(address) = value; }
  void set_shared(std::uint32_t offset, std::uint8_t value) override {
    bench_.shared.bytes()[offset] = value;
  }
  void rocc(unsigned function, std::uint64_t rs1, std::uint64_t rs2) override {
    bench_.driver.rocc(function, rs1, rs2);
  }
  void cisc(std::uint32_t word) override { bench_.driver.cisc(word); }
  void fence() override { bench_.driver.fence(); }

 private:
  MatrixBench& bench_;
};

void check_random(const UnitModel::Machine& machine, unsigned seed, unsigned commands) {
  MatrixBench b(options_of(machine.shape));
  UnitModel model(machine.shape);
  BenchSink sink(b);
  RandomCommands random(sink, model, UnitModel::queue_of(machine.shape), seed);
  random.add(commands);
  random.finish();
  b.bench.run(20'000'000);
  INFO(machine.name << ", seed " << seed);
  REQUIRE(b.idle());
  for (const auto& fault : b.faults.faults) INFO(fault.detail);
  REQUIRE(b.faults.faults.empty());
  REQUIRE(b.driver.errors == 0);
  CHECK(b.unit.stats().loops.value() == model.loops);
  CHECK(model.loops > commands / 5);
  unsigned wrong = 0, written = 0;
  std::uint32_t first = 0;
  for (const auto& [address, byte] : model.global) {
    written += address >= RandomCommands::kResults ? 1 : 0;
    if (b.gmem.byte(address) == byte) continue;
    if (wrong++ == 0 || address < first) first = address;
  }
  CHECK(written > model.shape.accumulator_bytes / 4);
  INFO(wrong << " bytes of global memory differ, the first at " << std::hex << first);
  CHECK(wrong == 0);
  wrong = first = 0;
  for (std::size_t i = 0; i < model.shared.size(); ++i)
    if (b.shared.bytes()[i] != model.shared[i] && wrong++ == 0) first = static_cast<std::uint32_t>(i);
  INFO(wrong << " bytes of shared memory differ, the first at " << std::hex << first);
  CHECK(wrong == 0);
}

}  // namespace

// Each TEST_CASE builds one design, so the seeds are cases of their own.
#define SPICA_RANDOM_CASE(machine, title)                                   \
  TEST_CASE("random commands leave the memory of the model: " title " 1") { \
    check_random(UnitModel::machines()[machine], 1, 60);                    \
  }                                                                         \
  TEST_CASE("random commands leave the memory of the model: " title " 2") { \
    check_random(UnitModel::machines()[machine], 2, 60);                    \
  }                                                                         \
  TEST_CASE("random commands leave the memory of the model: " title " 3") { \
    check_random(UnitModel::machines()[machine], 3, 60);                    \
  }
SPICA_RANDOM_CASE(0, "v1")
SPICA_RANDOM_CASE(1, "16 KB")
SPICA_RANDOM_CASE(2, "4x4")
SPICA_RANDOM_CASE(3, "v1.5")
SPICA_RANDOM_CASE(4, "v2 FP16")
SPICA_RANDOM_CASE(5, "v2 FP32")
SPICA_RANDOM_CASE(6, "v1 with FP16 sums")
SPICA_RANDOM_CASE(7, "v2 FP16 with FP16 sums")
