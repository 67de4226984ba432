// SPDX-License-Identifier: Apache-2.0
// Random command sequences on units of all revisions, compared with the independent model byte for byte.
#include "testbenches/block/matrix_unit/random_commands.h"

#include <catch2/catch.hpp>

using namespace spica;
using namespace spica::testbench;
using matrix_unit::CommandSet;
using matrix_unit::OperandFormat;

namespace {

struct Machine {
  const char* name;
  UnitModel::Shape shape;
};

using Commands = UnitModel::Commands;
const Machine kMachines[] = {
    {"v1, FP32 8x8", {}},
    {"FP32 8x8 with 16 KB", {8, false, 4 * 1024, 32, 32, 32, Commands::kQuartile8, 16 * 1024}},
    {"FP32 4x4", {4, false, 16 * 1024, 64, 64, 64, Commands::kQuartile8, 64 * 1024}},
    {"v1.5, FP16 16x16", {16, true, 32 * 1024, 128, 64, 128, Commands::kQuartile12, 128 * 1024}},
    {"v2, FP16 16x16", {16, true, 32 * 1024, 128, 64, 128, Commands::kHexadecile, 128 * 1024}},
    {"v2, FP32 8x8", {8, false, 16 * 1024, 64, 64, 64, Commands::kHexadecile, 256 * 1024}},
};

MatrixBench::Options options_of(const UnitModel::Shape& shape) {
  MatrixBench::Options o;
  o.unit.dim = shape.dim;
  o.unit.operand = shape.fp16 ? OperandFormat::kFp16 : OperandFormat::kFp32;
  o.unit.accumulator_bytes = shape.accumulator_bytes;
  o.unit.tile_m = shape.tile_m;
  o.unit.tile_n = shape.tile_n;
  o.unit.tile_k = shape.tile_k;
  o.unit.shared_bytes = shape.shared_bytes;
  o.unit.command_set = shape.commands == Commands::kQuartile8    ? CommandSet::kQuartileV1
                       : shape.commands == Commands::kQuartile12 ? CommandSet::kQuartile
                                                                 : CommandSet::kHexadecile;
  o.unit.command_queue = shape.commands == Commands::kQuartile8 ? 0 : 4;
  o.dma.accumulator_row_bytes = 4 * shape.dim;
  return o;
}

void check_random(const Machine& machine, unsigned seed, unsigned commands) {
  MatrixBench b(options_of(machine.shape));
  UnitModel model(machine.shape);
  RandomCommands random(b, model, seed);
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
#define SPICA_RANDOM_CASE(machine, title)                                         \
  TEST_CASE("random commands leave the memory of the model: " title " 1") {  \
    check_random(kMachines[machine], 1, 60);                                      \
  }                                                                               \
  TEST_CASE("random commands leave the memory of the model: " title " 2") { \
    check_random(kMachines[machine], 2, 60);                                      \
  }                                                                               \
  TEST_CASE("random commands leave the memory of the model: " title " 3") {  \
    check_random(kMachines[machine], 3, 60);                                      \
  }
SPICA_RANDOM_CASE(0, "v1")
SPICA_RANDOM_CASE(1, "16 KB")
SPICA_RANDOM_CASE(2, "4x4")
SPICA_RANDOM_CASE(3, "v1.5")
SPICA_RANDOM_CASE(4, "v2 FP16")
SPICA_RANDOM_CASE(5, "v2 FP32")
