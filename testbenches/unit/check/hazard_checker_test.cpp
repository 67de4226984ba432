// SPDX-License-Identifier: Apache-2.0
// The checker with events made by hand, in orders that a machine would seldom show.
#include "platform/observe/check/hazard_checker.h"

#include "models/command_processor/queue_rules.h"
#include "models/isa/registers.h"
#include "models/matrix_unit/matrix_unit_rules.h"
#include "platform/machine/soc/soc_params.h"
#include "testbenches/support/catch.h"

using namespace spica;
using check::Kind;

namespace {

constexpr std::uint32_t kLoad = 0x00052783;   // lw a5,0(a0)
constexpr std::uint32_t kStore = 0x00F52023;  // sw a5,0(a0)
constexpr std::uint32_t kFence = 0x0FF0000F;
constexpr std::uint32_t kUseA5 = 0x00078793;  // mv a5,a5
constexpr std::uint32_t kShared = 0xFF00'0000, kGlobal = 0xA000'0000;

soc::SocParams without_waiting() {
  soc::SocParams params;
  params.cluster.core.barrier_waits_for_memory = false;
  return params;
}

struct Bench {
  soc::SocParams params;
  protocol::AddressMap map = soc::address_map(params);
  loader::Program program{};
  check::HazardChecker checker{params,
                               map,
                               program,
                               [](unsigned) { return 0; },
                               matrix_unit::matrix_unit_rules(),
                               command_processor::queue_rules()};
  std::uint32_t pc = 0x8000'0000;

  void issue(unsigned core, unsigned warp, std::uint32_t word, std::uint32_t address = 0,
             std::uint32_t lanes = 1) {
    isa::RegisterFile registers(8);
    for (unsigned lane = 0; lane < 8; ++lane) registers.row(10)[lane] = address + 4 * lane;
    const isa::Instruction instruction = isa::decode(word);
    pc += 4;
    const protocol::Origin origin{protocol::Origin::Unit::kCore, static_cast<std::uint8_t>(warp),
                                  static_cast<std::uint16_t>(core), pc, lanes};
    checker.on_issue({1, origin, instruction, registers});
    if (instruction.unit == isa::Unit::kCsr) checker.on_csr({1, origin, instruction, registers});
  }
  protocol::Origin driver(std::uint32_t command) const {
    protocol::Origin origin{protocol::Origin::Unit::kCore, 0, 0, 0x8000'1000, 1};
    origin.command = command;
    return origin;
  }
  void barrier(std::initializer_list<std::pair<unsigned, unsigned>> warps) {
    for (const auto& [core, warp] : warps)
      checker.on_barrier_arrival(1,
                                 {protocol::Origin::Unit::kCore, static_cast<std::uint8_t>(warp),
                                  static_cast<std::uint16_t>(core), 0x8000'2000, 1},
                                 0, static_cast<unsigned>(warps.size()));
    for (unsigned core = 0; core < params.cluster.cores; ++core) checker.on_barrier_release(1, core, 0);
  }
  std::size_t found() const { return checker.findings().all().size(); }
};

}  // namespace

TEST_CASE("conflicts count, accesses side by side and two reads do not") {
  Bench b;
  b.issue(0, 0, kStore, kGlobal);
  b.issue(0, 1, kStore, kGlobal + 4);
  b.issue(0, 0, kLoad, kGlobal + 8);
  b.issue(1, 0, kLoad, kGlobal + 8);
  CHECK(b.found() == 0);
  b.issue(1, 3, kLoad, kGlobal);
  REQUIRE(b.found() == 1);
  CHECK(b.checker.findings().all()[0].kind == Kind::kRace);
  CHECK(b.checker.findings().all()[0].address == kGlobal);
}

TEST_CASE("a write after several reads is compared with all of them") {
  Bench b;
  b.checker.initialised(kShared, 64);
  for (unsigned warp = 0; warp < 4; ++warp) b.issue(0, warp, kLoad, kShared);
  b.issue(1, 0, kStore, kShared);
  CHECK(b.found() == 4);
}

TEST_CASE("the order of arrival of two accesses does not matter") {
  for (const bool store_first : {true, false}) {
    Bench b;
    b.checker.initialised(kShared, 64);
    b.issue(store_first ? 0 : 1, 0, store_first ? kStore : kLoad, kShared);
    b.issue(store_first ? 1 : 0, 0, store_first ? kLoad : kStore, kShared);
    CHECK(b.found() == 1);
  }
}

TEST_CASE("fence and barrier order, whichever of the two words") {
  Bench b;
  b.issue(0, 0, kStore, kShared, 0xFF);
  b.issue(0, 0, kFence);
  b.barrier({{0, 0}, {0, 1}});
  b.issue(0, 1, kLoad, kShared + 4, 0x7F);
  CHECK(b.found() == 0);
  b.issue(0, 1, kUseA5);
  b.barrier({{0, 0}, {0, 1}});  // loads that were used need no fence
  b.issue(0, 0, kStore, kShared, 0xFF);
  CHECK(b.found() == 0);
}

TEST_CASE("a barrier without a fence is in order on a machine whose barriers wait, and reported as such") {
  Bench b;
  b.issue(0, 0, kStore, kShared);
  b.barrier({{0, 0}, {1, 0}});
  b.issue(1, 0, kLoad, kShared);
  REQUIRE(b.found() == 1);
  const check::Finding& finding = b.checker.findings().all()[0];
  CHECK(finding.kind == Kind::kFenceMissing);
  CHECK(finding.advice.find("a fence (simt_fence)") != std::string::npos);
  CHECK(finding.detail.find("barrier_waits_for_memory") != std::string::npos);
}

TEST_CASE(
    "on a machine whose barriers do not wait, a fence and a barrier are a race, a CSR access between them not") {
  constexpr std::uint32_t kReadMask = 0xCC402973;  // csrr s2,0xCC4
  const bool settled = GENERATE(true, false);
  Bench b{without_waiting()};
  b.issue(0, 0, kStore, kShared);
  b.issue(0, 0, kFence);
  if (settled) b.issue(0, 0, kReadMask);
  b.barrier({{0, 0}, {1, 0}});
  b.issue(1, 0, kLoad, kShared);
  REQUIRE(b.found() == (settled ? 0 : 1));
  if (settled) return;
  CHECK(b.checker.findings().all()[0].kind == Kind::kRace);
  CHECK(b.checker.findings().all()[0].advice.find("CSR access (simt_mask) after the fence") !=
        std::string::npos);
}

TEST_CASE("an atomic orders what follows its value, not what merely comes after it") {
  constexpr std::uint32_t kCount = 0x00F5272F;  // amoadd.w a4,a5,(a0)
  const bool value = GENERATE(true, false);
  Bench b;
  b.issue(0, 0, kStore, kGlobal);
  b.issue(0, 0, kFence);
  b.issue(0, 0, kCount, kGlobal + 64);
  b.issue(1, 0, kCount, kGlobal + 64);
  if (value) b.checker.on_commit(2, {protocol::Origin::Unit::kCore, 0, 1, b.pc, 1}, isa::RegisterFile(8));
  b.issue(1, 0, kLoad, kGlobal);
  CHECK(b.found() == (value ? 0 : 1));
}

TEST_CASE("the bytes of a word are distinguished") {
  constexpr std::uint32_t kStoreByte = 0x00F50023;  // sb a5,0(a0)
  Bench b;
  b.issue(0, 0, kStoreByte, kShared);
  b.issue(0, 1, kStoreByte, kShared + 1);
  CHECK(b.found() == 0);
  b.issue(0, 1, kLoad, kShared);  // byte 0 is another warp's, bytes 2 and 3 no warp's
  CHECK(b.found() == 2);
}

TEST_CASE("work of neighbouring loops is ordered where the unit orders it") {
  using Work = protocol::UnitWork;
  using Piece = protocol::Piece;
  const Piece global{Piece::Space::kGlobal, false, kGlobal, 8, 32, 32};
  const Piece tile{Piece::Space::kShared, true, 0, 8, 32, 32};
  Piece operand = tile;
  operand.write = false;
  // A load and a computation on what it loads, of these loops; which of the two comes first in the run must not
  // matter.
  const auto run = [&](std::uint32_t load_loop, std::uint32_t compute_loop, bool load_first) {
    Bench b;
    b.checker.initialised(kShared, 4096);
    const protocol::Origin first = b.driver(1), second = b.driver(2);
    b.checker.on_command(1, 0, first, 0);
    b.checker.on_command(1, 0, second, 0);
    const Work load{Work::Kind::kLoad, 1, first, global, tile, load_loop};
    const Work compute{Work::Kind::kCompute, 2, second, operand, {}, compute_loop};
    b.checker.on_work_begin(1, 0, load_first ? load : compute);
    b.checker.on_work_begin(1, 0, load_first ? compute : load);
    return b.found();
  };
  for (const bool load_first : {true, false}) {
    CHECK(run(1, 1, load_first) == 0);  // of one loop
    CHECK(run(0, 1, load_first) == 0);  // a command that is no loop
    CHECK(run(1, 3, load_first) == 0);  // a loop between them
    CHECK(run(1, 2, load_first) == 1);
    CHECK(run(2, 1, load_first) == 1);
  }
}

TEST_CASE("a tile that extends outside its buffer is found, one next to it is not") {
  using Piece = protocol::Piece;
  for (const std::uint32_t rows : {8u, 9u}) {
    Bench b;
    b.checker.buffers().add("A", kGlobal, 8 * 64);
    b.checker.buffers().add("B", kGlobal + 8 * 64, 8 * 64);
    const protocol::Origin origin = b.driver(1);
    b.checker.on_command(1, 0, origin, 0);
    const Piece from{Piece::Space::kGlobal, false, kGlobal, rows, 64, 64};
    b.checker.on_work_begin(1, 0, {protocol::UnitWork::Kind::kLoad, 1, origin, from, {}, 1});
    CHECK(b.found() == (rows == 9 ? 1 : 0));
  }
}
