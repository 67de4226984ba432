// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "models/matrix_unit/loop_unroller.h"
#include "testbenches/support/catch.h"

using namespace spica::matrix_unit;
using Kind = UnitCommand::Kind;
using Stream = spica::protocol::DmaCommand::Stream;

namespace {

constexpr std::array<bool, kCommandClasses> kRoom{true, true, true};

struct Loop {
  explicit Loop(MatrixUnitParams p = {}) : params(p), slots(params), unroller(params, slots, transfers) {
    for (auto& load : transfers.load) load = {1000, static_cast<std::uint32_t>(p.dim)};
    transfers.store_stride = 2000;
  }
  std::string give(unsigned function, std::uint64_t rs1, std::uint64_t rs2) {
    REQUIRE(slots.can_accept());
    return slots.accept({function, rs1, rs2, {}}, now);
  }
  void bounds(std::uint64_t i, std::uint64_t j, std::uint64_t k) {
    give(MATRIX_UNIT_LOOP_BOUNDS, 0, k << 32 | j << 16 | i);
  }
  /// Unrolls until nothing comes any more.
  std::vector<UnitCommand> unroll(const std::array<bool, kCommandClasses>& room = kRoom) {
    std::vector<UnitCommand> out;
    for (int quiet = 0; quiet < 20; ++now) {
      unroller.start_phases(now);
      UnitCommand command;
      if (unroller.next(room, command)) {
        out.push_back(command);
        quiet = 0;
      } else {
        ++quiet;
      }
      completed += slots.retire() ? 1 : 0;
    }
    return out;
  }

  MatrixUnitParams params;
  TransferRegisters transfers;
  LoopSlots slots;
  LoopUnroller unroller;
  spica::base::Cycle now = 0;
  unsigned completed = 0;
};

}  // namespace

TEST_CASE("execution goes k then j then i with one preload per column of blocks") {
  Loop loop;
  loop.bounds(3, 2, 2);
  loop.give(MATRIX_UNIT_LOOP_SPAD_AB, 100, 500);
  CHECK(loop.give(MATRIX_UNIT_LOOP_WS, 0, MATRIX_UNIT_SKIPS_EXECUTE_ONLY).empty());
  const auto commands = loop.unroll();
  REQUIRE(commands.size() == 2 * 3 * 2 * 2);
  std::size_t at = 0;
  const unsigned first_b = 500 - 2 * 2 * 8;
  for (unsigned k = 0; k < 2; ++k)
    for (unsigned j = 0; j < 2; ++j)
      for (unsigned i = 0; i < 3; ++i) {
        const UnitCommand &preload = commands[at++], &compute = commands[at++];
        REQUIRE(preload.kind == Kind::kPreload);
        REQUIRE(compute.kind == Kind::kCompute);
        CHECK(preload.has_operand == (i == 0));
        if (i == 0) CHECK(preload.operand_row == first_b + (k * 2 + j) * 8);
        CHECK(compute.flip == (i == 0));
        CHECK(compute.operand_row == 100 + (i * 2 + k) * 8);
        CHECK(compute.accumulator_row == (i * 2 + j) * 8);
        CHECK(compute.accumulate == (k != 0));
      }
  CHECK(loop.completed == 1);
}

TEST_CASE("the accumulate flag makes the first k block add too") {
  Loop loop;
  loop.bounds(1, 1, 1);
  loop.give(MATRIX_UNIT_LOOP_WS, MATRIX_UNIT_LOOP_ACCUMULATE, MATRIX_UNIT_SKIPS_EXECUTE_ONLY);
  const auto commands = loop.unroll();
  REQUIRE(commands.size() == 2);
  CHECK(commands[1].accumulate);
}

TEST_CASE("loads walk blocks in pairs of 64 bytes at the documented addresses") {
  Loop loop;
  loop.bounds(2, 4, 4);
  loop.give(MATRIX_UNIT_LOOP_ADDRESS_AB, 0xA0000000, 0xA1000000);
  loop.give(MATRIX_UNIT_LOOP_STRIDE_AB, 96, 80);
  loop.give(MATRIX_UNIT_LOOP_SPAD_AB, 0, 2048);
  loop.give(MATRIX_UNIT_LOOP_WS, 0, MATRIX_UNIT_SKIPS_LOAD_ONLY);
  const auto commands = loop.unroll();
  std::vector<UnitCommand> a, b;
  for (const UnitCommand& c : commands) (c.move.stream == Stream::kA ? a : b).push_back(c);
  REQUIRE(a.size() == 2 * 2);
  REQUIRE(b.size() == 4 * 2);
  std::size_t at = 0;
  for (unsigned k = 0; k < 4; k += 2)
    for (unsigned i = 0; i < 2; ++i) {
      const Move& m = a[at++].move;
      CHECK(m.global_address == 0xA0000000 + (i * 8 * 96 + k * 8) * 4);
      CHECK(m.global_stride == 1000);
      CHECK(m.local_address == (i * 4 + k) * 8 * 32);
      CHECK(m.block_stride == 256);
      CHECK(m.rows == 8);
      CHECK(m.blocks == 2);
      CHECK(m.block_bytes == 32);
    }
  at = 0;
  for (unsigned k = 0; k < 4; ++k)
    for (unsigned j = 0; j < 4; j += 2) {
      const Move& m = b[at++].move;
      CHECK(m.global_address == 0xA1000000 + (k * 8 * 80 + j * 8) * 4);
      CHECK(m.local_address == (2048 - 128 + (k * 4 + j) * 8) * 32);
    }
}

TEST_CASE("loads of transposed operands read the mirror block, one at a time, and fill the same rows") {
  Loop plain, mirror;
  for (Loop* loop : {&plain, &mirror}) {
    loop->bounds(3, 2, 2);
    loop->give(MATRIX_UNIT_LOOP_ADDRESS_AB, 0x1000, 0x8000);
    loop->give(MATRIX_UNIT_LOOP_STRIDE_AB, 64, 32);
    loop->give(MATRIX_UNIT_LOOP_SPAD_AB, 100, 500);
  }
  for (unsigned state : {0, 1}) mirror.transfers.load[state].transpose = true;
  for (Loop* loop : {&plain, &mirror}) loop->give(MATRIX_UNIT_LOOP_WS, 0, MATRIX_UNIT_SKIPS_LOAD_ONLY);
  const auto straight = plain.unroll(), turned = mirror.unroll();
  REQUIRE(turned.size() == 3 * 2 + 2 * 2);
  std::vector<std::pair<unsigned, unsigned>> rows;  // of A
  for (const UnitCommand& load : turned) {
    CHECK(load.move.transposed_word == 4);
    CHECK(load.move.blocks == 1);
    CHECK(load.move.far_rows() == 8);
    if (load.move.stream != Stream::kA) continue;
    const unsigned row = load.shared.begin - 100, i = row / 8 / 2, k = row / 8 % 2;
    CHECK(load.move.global_address == 0x1000 + (k * 64 + i) * 8 * 4);
    rows.emplace_back(i, k);
  }
  CHECK(rows.size() == 6);
  for (const UnitCommand& load : straight) CHECK_FALSE(load.move.reshapes());
}

TEST_CASE("loads of converted operands step through memory by words as they are there") {
  Loop loop;
  loop.bounds(2, 2, 2);
  loop.give(MATRIX_UNIT_LOOP_ADDRESS_AB, 0x1000, 0x8000);
  loop.give(MATRIX_UNIT_LOOP_STRIDE_AB, 64, 32);
  loop.give(MATRIX_UNIT_LOOP_SPAD_AB, 100, 500);
  loop.transfers.load[1].conversion = {spica::numeric::Format::kInt4, spica::numeric::Format::kFp16, 1, true};
  loop.give(MATRIX_UNIT_LOOP_WS, 0, MATRIX_UNIT_SKIPS_LOAD_ONLY);
  std::vector<unsigned> addresses;
  for (const UnitCommand& load : loop.unroll())
    if (load.move.stream == Stream::kB) addresses.push_back(load.move.global_address);
  // Words of two FP16 are a byte of INT4 there; a row of two blocks moves at a time.
  CHECK(addresses == std::vector<unsigned>{0x8000, 0x8000 + 32 * 8});
}

TEST_CASE("A and B loads keep their k progress in step") {
  Loop loop;
  loop.bounds(2, 4, 4);
  loop.give(MATRIX_UNIT_LOOP_SPAD_AB, 0, 2048);
  loop.give(MATRIX_UNIT_LOOP_WS, 0, MATRIX_UNIT_SKIPS_LOAD_ONLY);
  std::string order;
  for (const UnitCommand& c : loop.unroll()) order += c.move.stream == Stream::kA ? 'A' : 'B';
  // First A, then the first B before any further A; A until its k (2) is ahead; B until its k
  // reaches 2; ...
  CHECK(order == "ABABBBAABBBB");
}

TEST_CASE(
    "stores follow the last k block and go to global memory in pairs or to shared memory in "
    "blocks") {
  Loop loop;
  loop.bounds(2, 3, 2);
  loop.give(MATRIX_UNIT_LOOP_ADDRESS_DC, 0, 0xC0000000);
  loop.give(MATRIX_UNIT_LOOP_STRIDE_DC, 0, 64);
  loop.give(MATRIX_UNIT_LOOP_SPAD_AB, 0, 2048);
  loop.give(MATRIX_UNIT_LOOP_WS, 0, MATRIX_UNIT_SKIPS_STORE_GMEM);
  const auto global = loop.unroll();
  REQUIRE(global.size() == 4);  // j 0-1 for both i, then j 2 for both i
  CHECK(global[1].move.global_address == 0xC0000000 + (1 * 64 + 0) * 8 * 4);
  CHECK(global[1].move.blocks == 2);
  CHECK(global[1].move.local_address == 3 * 8);
  CHECK(global[2].move.blocks == 1);
  CHECK(global[2].move.global_address == 0xC0000000 + 2 * 8 * 4);
  CHECK(global[2].move.global_stride == 2000);

  loop.bounds(2, 3, 2);
  loop.give(MATRIX_UNIT_LOOP_SPAD_AB, 0, 2048);
  loop.give(MATRIX_UNIT_LOOP_WS, 0, std::uint64_t{700} << 32 | MATRIX_UNIT_SKIPS_EXECUTE_STORE_SPAD);
  const auto shared = loop.unroll();
  REQUIRE(shared.size() == 2 * 12 + 6);
  unsigned stores = 0, computes = 0;
  for (const UnitCommand& c : shared) {
    computes += c.kind == Kind::kCompute;
    if (c.kind != Kind::kStore) continue;
    // Store order: j, then i. Its block must have had its last k.
    const unsigned j = stores / 2, i = stores % 2;
    CHECK(computes >= 6 + j * 2 + i + 1);
    CHECK(c.move.global_address == (700 + (i * 3 + j) * 8) * 32);
    ++stores;
  }
  CHECK(stores == 6);
}

TEST_CASE("execution waits block by block for loads of its own loop to be issued") {
  Loop loop;
  loop.bounds(2, 2, 2);
  loop.give(MATRIX_UNIT_LOOP_SPAD_AB, 0, 2048);
  loop.give(MATRIX_UNIT_LOOP_WS, 0,
            MATRIX_UNIT_LOOP_SKIP_LOAD_D | MATRIX_UNIT_LOOP_SKIP_STORE | MATRIX_UNIT_LOOP_SPAD_ONLY);
  CHECK(loop.unroll({false, true, true}).empty());
  CHECK(loop.unroller.execute_waits_for_loads());
  // With both loads issued for k=0 the first compute may go; order of classes: loads and executes
  // interleave.
  const auto commands = loop.unroll();
  unsigned a = 0, b = 0;
  bool ok = true;
  for (const UnitCommand& c : commands) {
    if (c.kind == Kind::kLoad) (c.move.stream == Stream::kA ? a : b) += 1;
    if (c.kind == Kind::kPreload) ok = ok && a >= 1 && b >= 1;
  }
  CHECK(ok);
  CHECK(commands.size() == 2 + 2 + 16);
}

TEST_CASE("registers persist per slot and slots alternate") {
  Loop loop;
  const auto first_a = [&](const std::vector<UnitCommand>& commands) {
    for (const UnitCommand& c : commands)
      if (c.kind == Kind::kCompute) return c.operand_row;
    return 0xFFFFu;
  };
  loop.bounds(1, 1, 1);
  loop.give(MATRIX_UNIT_LOOP_SPAD_AB, 40, 2048);
  loop.give(MATRIX_UNIT_LOOP_WS, 0, MATRIX_UNIT_SKIPS_EXECUTE_ONLY);
  CHECK(first_a(loop.unroll()) == 40);
  // Slot 1 was never written: the reset value of A is half of shared memory.
  loop.bounds(1, 1, 1);
  loop.give(MATRIX_UNIT_LOOP_WS, 0, MATRIX_UNIT_SKIPS_EXECUTE_ONLY);
  CHECK(first_a(loop.unroll()) == 1024);
  // Slot 0 again: bounds and rows of two loops ago.
  loop.give(MATRIX_UNIT_LOOP_WS, 0, MATRIX_UNIT_SKIPS_EXECUTE_ONLY);
  CHECK(first_a(loop.unroll()) == 40);
}

TEST_CASE("a third loop waits until the older one has issued everything") {
  Loop loop;
  for (int i = 0; i < 2; ++i) {
    loop.bounds(1, 1, 1);
    loop.give(MATRIX_UNIT_LOOP_SPAD_AB, 0, 2048);
    loop.give(MATRIX_UNIT_LOOP_WS, 0, MATRIX_UNIT_SKIPS_EXECUTE_ONLY);
  }
  CHECK_FALSE(loop.slots.can_accept());
  loop.unroll();
  CHECK(loop.slots.can_accept());
  CHECK(loop.completed == 2);
}

TEST_CASE("loads of a younger loop run while the older one executes") {
  Loop loop;
  loop.bounds(2, 2, 2);
  loop.give(MATRIX_UNIT_LOOP_SPAD_AB, 0, 1024);
  loop.give(MATRIX_UNIT_LOOP_WS, 0, MATRIX_UNIT_SKIPS_EXECUTE_ONLY);
  loop.bounds(2, 2, 2);
  loop.give(MATRIX_UNIT_LOOP_SPAD_AB, 1024, 2048);
  loop.give(MATRIX_UNIT_LOOP_WS, 0, MATRIX_UNIT_SKIPS_LOAD_ONLY);
  // No room for executes: the loads of the younger loop go on.
  const auto loads = loop.unroll({true, true, false});
  CHECK(loads.size() == 2 + 2);
  CHECK(loop.completed == 0);
  CHECK(loop.unroll().size() == 16);
  CHECK(loop.completed == 2);
}

TEST_CASE("padding shortens the last rows and columns") {
  Loop loop;
  loop.give(MATRIX_UNIT_LOOP_BOUNDS, std::uint64_t{3} << 32 | 2u << 16 | 1u,
            std::uint64_t{2} << 32 | 2u << 16 | 2u);
  loop.give(MATRIX_UNIT_LOOP_SPAD_AB, 0, 2048);
  loop.give(MATRIX_UNIT_LOOP_WS, 0, MATRIX_UNIT_SKIPS_EXECUTE_ONLY);
  for (const UnitCommand& c : loop.unroll()) {
    if (c.kind != Kind::kCompute) continue;
    const unsigned i = c.operand_row / 16, k = c.operand_row / 8 % 2;
    CHECK(c.rows == (i == 1 ? 7 : 8));
    CHECK(c.columns == (k == 1 ? 5 : 8));
  }
}

TEST_CASE("a loop that only loads D must fit the accumulator, too") {
  Loop loop;
  constexpr unsigned kOnlyD = MATRIX_UNIT_LOOP_SKIP_LOAD_A | MATRIX_UNIT_LOOP_SKIP_LOAD_B |
                              MATRIX_UNIT_LOOP_SKIP_EXECUTE | MATRIX_UNIT_LOOP_SKIP_STORE;
  loop.give(MATRIX_UNIT_LOOP_ADDRESS_DC, 0x8000'0000, 0);
  const auto blocks = static_cast<unsigned>(loop.params.accumulator_rows() / loop.params.dim);
  loop.bounds(blocks + 1, 1, 1);
  CHECK(loop.give(MATRIX_UNIT_LOOP_WS, 0, kOnlyD).find("does not fit the accumulator") != std::string::npos);
  loop.bounds(65535, 65535, 1);
  CHECK(loop.give(MATRIX_UNIT_LOOP_WS, 0, kOnlyD).find("does not fit the accumulator") != std::string::npos);
  loop.bounds(blocks, 1, 1);
  CHECK(loop.give(MATRIX_UNIT_LOOP_WS, 0, kOnlyD).empty());
}
