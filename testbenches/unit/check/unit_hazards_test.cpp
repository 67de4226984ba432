// SPDX-License-Identifier: Apache-2.0
// Units and their drivers alone.
#include "platform/observe/check/unit_hazards.h"

#include "models/isa/instruction.h"
#include "models/isa/registers.h"
#include "testbenches/support/catch.h"
#include "testbenches/unit/check/check_bench.h"

using namespace spica;
using check::Kind;
using test::kGlobalWord;
using test::kSharedWord;

namespace {

/// Warps of core 0 that give commands.
struct Drivers : test::CheckParts {
  using test::CheckParts::CheckParts;
  const isa::Instruction store = isa::decode(0x00F52023);  // sw a5,0(a0)
  const isa::RegisterFile registers{8};
  template <class Give>
  void by(unsigned warp, std::uint32_t pc, const Give& give) {
    const protocol::Origin origin{protocol::Origin::Unit::kCore, static_cast<std::uint8_t>(warp), 0, pc, 1};
    give(protocol::InstructionEvent{1, origin, store, registers});
  }
};

}  // namespace

TEST_CASE("two warps that drive a unit without order are one finding, until it is somebody else's") {
  Drivers d;
  const auto touch = [&](unsigned warp) {
    d.by(warp, 0x100 + 16 * warp, [&](const auto& event) { d.units.touch(event, warp, 0); });
  };
  touch(0);
  touch(0);
  CHECK(d.found().empty());
  touch(1);
  touch(0);
  REQUIRE(d.found().size() == 1);
  CHECK(d.found()[0].kind == Kind::kCommandOrder);
  d.units.forget_driver(0);
  touch(2);
  CHECK(d.found().size() == 1);
}

TEST_CASE("a unit without a queue is said to lose the fourth command that nobody waits for") {
  const bool queue = GENERATE(true, false), wait = GENERATE(true, false);
  soc::SocParams params;
  params.cluster.matrix_units[0].command_queue = queue ? 4 : 0;
  Drivers d(params);
  for (unsigned i = 0; i < 4; ++i) {
    d.by(0, 0x100, [&](const auto& event) { d.units.give_by_csr(event, 0, 0); });
    if (wait && i == 1) d.units.see_idle(0, 0);
  }
  REQUIRE(d.found().size() == (queue || wait ? 0 : 1));
  if (d.found().empty()) return;
  CHECK(d.found()[0].kind == Kind::kCommandBusy);
  CHECK(d.found()[0].advice == "wait until the unit is idle (matrix_unit_fence) between the two");
  CHECK(d.found()[0].detail.find("CSR 0xACC") != std::string::npos);
}

TEST_CASE("what another warp has waited for without order does not count") {
  Drivers d;
  for (unsigned i = 0; i < 4; ++i) {
    d.by(0, 0x100, [&](const auto& event) { d.units.give_by_csr(event, 0, 0); });
    d.units.see_idle(1, 0);
  }
  REQUIRE(d.found().size() == 1);
  CHECK(d.found()[0].kind == Kind::kCommandBusy);
}

TEST_CASE("what a unit loads is read too early by a warp that does not wait for it") {
  const bool wait = GENERATE(true, false);
  Drivers d;
  d.by(0, 0x8000'1000, [&](const auto& event) { d.units.give(event, 0, 0); });
  const protocol::Origin origin = Drivers::command(1);
  d.units.take(0, origin, 0);
  d.units.begin(2, 0,
                {protocol::UnitWork::Kind::kLoad,
                 9,
                 origin,
                 {protocol::Piece::Space::kGlobal, false, kGlobalWord, 1, 32, 32},
                 {protocol::Piece::Space::kShared, true, 0, 1, 32, 32}});
  d.units.end(0, 9);
  if (wait) d.units.see_idle(0, 0);
  d.memory.begin(d.warp(0, 0, 0x8000'1004), 0);
  d.memory.access(kSharedWord + 28, 4, false);
  REQUIRE(d.found().size() == (wait ? 0 : 1));
  if (wait) return;
  CHECK(d.found()[0].kind == Kind::kEarlyRead);
  CHECK(d.found()[0].first.is_unit());
  CHECK(d.found()[0].advice.find("matrix_unit_fence") != std::string::npos);
}

TEST_CASE("two warps at a unit need a barrier, also where the second finds it idle") {
  const bool barrier = GENERATE(true, false);
  Drivers d;
  d.by(0, 0x8000'1000, [&](const auto& event) {
    d.units.touch(event, 0, 0);
    d.units.give(event, 0, 0);
  });
  const protocol::Origin origin = Drivers::command(1);
  d.units.take(0, origin, 0);
  d.units.begin(2, 0,
                {protocol::UnitWork::Kind::kLoad,
                 9,
                 origin,
                 {protocol::Piece::Space::kGlobal, false, kGlobalWord, 1, 32, 32},
                 {protocol::Piece::Space::kShared, true, 0, 1, 32, 32}});
  d.units.end(0, 9);
  d.units.see_idle(0, 0);
  if (barrier) {
    d.order.arrive(0, 0);
    d.order.arrive(1, 0);
    d.order.release(0, 0);
  }
  d.units.see_idle(1, 0);
  d.memory.begin(d.warp(0, 1, 0x8000'2000), 0);
  d.memory.access(kSharedWord + 28, 4, false);
  d.by(1, 0x8000'2004, [&](const auto& event) { d.units.touch(event, 1, 0); });
  REQUIRE(d.found().size() == (barrier ? 0 : 2));
  if (barrier) return;
  CHECK(d.found()[0].kind == Kind::kRace);
  CHECK(d.found()[1].kind == Kind::kCommandOrder);
}

TEST_CASE("of faults only those of units are findings") {
  Drivers d;
  protocol::GuestFault fault;
  fault.kind = protocol::FaultKind::kCommandLost;
  d.units.complain(fault);
  REQUIRE(d.found().size() == 1);
  CHECK(d.found()[0].kind == Kind::kCommandLost);
  fault.kind = protocol::FaultKind::kMisalignedFetch;
  d.units.complain(fault);
  CHECK(d.found().size() == 1);
}
