// SPDX-License-Identifier: Apache-2.0
#include "models/matrix_unit/cisc_expander.h"

#include <vector>

#include "models/matrix_unit/command_front_end.h"
#include "testbenches/support/catch.h"

using namespace spica::matrix_unit;

namespace {

MatrixUnitParams fp16_params(CommandSet set) {
  MatrixUnitParams p;
  p.dim = 16;
  p.operand = OperandFormat::kFp16;
  p.accumulator_bytes = 32 * 1024;
  p.tile_m = 128;
  p.tile_n = 64;
  p.tile_k = 128;
  p.shared_bytes = 128 * 1024;
  p.command_set = set;
  p.command_queue = 4;
  return p;
}

struct Expected {
  unsigned function;
  std::uint64_t rs1, rs2;
};

void check(const Expansion& got, const std::vector<Expected>& want) {
  REQUIRE(got.known);
  REQUIRE(got.count == want.size());
  for (unsigned i = 0; i < got.count; ++i) {
    INFO("command " << i);
    CHECK(got.commands[i].function == want[i].function);
    CHECK(got.commands[i].rs1 == want[i].rs1);
    CHECK(got.commands[i].rs2 == want[i].rs2);
  }
}

/// The three commands of a loop with the bounds I, J, K = 8, 8, 8 of the v1 tile.
std::vector<Expected> v1_loop(std::uint64_t a, std::uint64_t b_end, std::uint64_t skips,
                              std::uint64_t accumulate) {
  return {{9, 0, 0x0000000800080008}, {24, a, b_end}, {8, accumulate, skips}};
}

}  // namespace

TEST_CASE("v1 computes and loads expand to bounds, rows and LOOP_WS in quarters of 512 rows") {
  const CiscExpander e{MatrixUnitParams{}};
  check(e.expand(0), v1_loop(0, 1536, 0x2B8, 0));
  check(e.expand(1), v1_loop(0, 1536, 0x2B8, 1));
  check(e.expand(2), v1_loop(512, 2048, 0x2B8, 1));
  check(e.expand(3), v1_loop(512, 2048, 0x2B8, 0));
  check(e.expand(10), v1_loop(0, 1536, 0x2E0, 0));
  check(e.expand(11), v1_loop(512, 2048, 0x2E0, 0));
  check(e.expand(12), v1_loop(0, 512, 0x2E0, 0));
  check(e.expand(13), v1_loop(1024, 1536, 0x2E0, 0));
  check(e.expand(9), {{9, 0, 0x0000000800080008}, {8, 0, 0x278}});
}

TEST_CASE("strides have 8 bits in v1 and 12 bits later") {
  const CiscExpander v1{MatrixUnitParams{}}, later{fp16_params(CommandSet::kQuartile)};
  check(v1.expand(200u << 16 | 100u << 8 | 8), {{12, 100, 200}});
  // What the v1 kernels write for dimensions of 256: A reads 0, B reads 1.
  check(v1.expand(256u << 16 | 256u << 8 | 8), {{12, 0, 1}});
  check(later.expand(1024u << 20 | 4095u << 8 | 8), {{12, 4095, 1024}});
}

TEST_CASE("v1.5 counts quarters of shared memory and bounds of the FP16 tile") {
  const CiscExpander e{fp16_params(CommandSet::kQuartile)};
  check(e.expand(2), {{9, 0, 0x0000000800040008}, {24, 1024, 4096}, {8, 1, 0x2B8}});
  check(e.expand(10), {{9, 0, 0x0000000800040008}, {24, 0, 3072}, {8, 0, 0x2E0}});
}

TEST_CASE("fixed configuration sets execute, load and store") {
  const Expansion e = CiscExpander{MatrixUnitParams{}}.expand(16);
  REQUIRE(e.count == 3);
  for (unsigned i = 0; i < 3; ++i) {
    CHECK(e.commands[i].function == 0);
    CHECK((e.commands[i].rs1 & 3) == i);
  }
  CHECK(e.commands[0].rs1 == 0x3F80000000010004);
  CHECK(e.commands[0].rs2 == 0x0001000000000000);
}

TEST_CASE("hexadecile commands take their sixteenths, flags and strides from the word") {
  const CiscExpander e{fp16_params(CommandSet::kHexadecile)};
  const std::uint64_t h = 4096 / 16, bounds = 0x0000000800040008;
  check(e.expand(11u << 16 | 4u << 8), {{9, 0, bounds}, {24, 4 * h, 12 * h}, {8, 0, 0x2B8}});
  check(e.expand(1u << 24 | 15u << 16 | 0u << 8), {{9, 0, bounds}, {24, 0, 16 * h}, {8, 1, 0x2B8}});
  check(e.expand(6u << 24 | 15u << 16 | 2u << 8 | 1),
        {{9, 0, bounds}, {24, 2 * h, 16 * h}, {8, 0, (6 * h) << 32 | 0x238}});
  check(e.expand(2), {});
  check(e.expand(512u << 20 | 256u << 8 | 8), {{12, 256, 512}});
  check(e.expand(5u << 8 | 9), {{9, 0, bounds}, {8, 0, (5 * h) << 32 | 0x278}});
  check(e.expand(11u << 16 | 4u << 8 | 10), {{9, 0, bounds}, {24, 4 * h, 12 * h}, {8, 0, 0x2E0}});
  check(e.expand(512u << 20 | 256u << 8 | 11), {{13, 256, 512}});
  check(e.expand(12), {{9, 0, bounds}, {8, 0, 0x078}});
}

TEST_CASE("only loop commands of the hexadecile set count as running loops") {
  const CiscExpander e{fp16_params(CommandSet::kHexadecile)};
  for (const std::uint32_t op : {0u, 1u, 2u, 9u, 10u, 12u}) CHECK(e.expand(op).counted);
  for (const std::uint32_t op : {8u, 11u, 16u}) CHECK_FALSE(e.expand(op).counted);
  CHECK_FALSE(CiscExpander{MatrixUnitParams{}}.expand(0).counted);
}

TEST_CASE("opcodes outside the command set are unknown") {
  const CiscExpander v1{MatrixUnitParams{}}, v2{fp16_params(CommandSet::kHexadecile)};
  for (const std::uint32_t op : {4u, 7u, 14u, 15u, 17u, 31u}) CHECK_FALSE(v1.expand(op).known);
  for (const std::uint32_t op : {3u, 13u, 15u, 17u}) CHECK_FALSE(v2.expand(op).known);
}

TEST_CASE("the front end expands one RoCC command per cycle and lets stores in between words only") {
  MatrixUnitParams p;
  CommandFrontEnd f(p);
  const spica::protocol::Origin origin{};
  CHECK(f.can_launch());
  CHECK(f.command(0, origin) == CommandFrontEnd::Taken::kYes);
  CHECK_FALSE(f.can_launch());
  CHECK(f.command(1, origin) == CommandFrontEnd::Taken::kLost);
  CHECK(f.command(5, origin) == CommandFrontEnd::Taken::kUnknown);
  CHECK(f.tick());
  CHECK(f.tick());
  CHECK_FALSE(f.tick());  // the RoCC queue holds two
  CHECK(f.front().function == 9);
  f.pop();
  CHECK_FALSE(f.can_launch());
  CHECK(f.tick());
  f.pop();
  CHECK(f.front().function == 8);
  CHECK(f.can_launch());  // expanded, one command in the queue
  f.pop();
  CHECK(f.idle());
}
