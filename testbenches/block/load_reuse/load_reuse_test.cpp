// SPDX-License-Identifier: Apache-2.0
#include "models/load_reuse/load_reuse.h"

#include <sstream>

#include "models/base/checkpoint.h"
#include "testbenches/support/bench.h"
#include "testbenches/support/catch.h"

using namespace spica::testbench;
using spica::load_reuse::LoadReuse;
using spica::load_reuse::LoadReuseParams;
using spica::protocol::Operand;
using Load = spica::protocol::LoadReuseIf::Load;
constexpr unsigned kNone = spica::protocol::LoadReuseIf::kNone;

namespace {

Load load(unsigned warp, std::uint32_t base, std::uint8_t fragment = 20) {
  return {static_cast<std::uint8_t>(warp), fragment, 11, 0, Operand::kA, base, 16};
}

struct Unit {
  explicit Unit(const LoadReuseParams& params = {}) : dut("dut", params, bench.clock) { bench.add(dut); }
  Bench bench;
  LoadReuse dut;
  std::uint64_t reused() { return dut.stats().reused.value(); }
};

}  // namespace

TEST_CASE("the same load of another warp is reused, of any number of them") {
  Unit unit;
  CHECK(unit.dut.find(load(0, 0x100)) == kNone);
  CHECK(unit.dut.find(load(4, 0x100)) == 0);
  CHECK(unit.dut.find(load(8, 0x100)) != kNone);
  CHECK(unit.dut.stats().loads.value() == 3);
  CHECK(unit.reused() == 2);
  CHECK(unit.dut.stats().max_shared.value() == 2);
}

TEST_CASE("what differs in one thing is another load") {
  Unit unit;
  CHECK(unit.dut.find(load(0, 0x100)) == kNone);
  Load other = load(1, 0x104);
  CHECK(unit.dut.find(other) == kNone);
  other = load(2, 0x100, 21);
  CHECK(unit.dut.find(other) == kNone);
  other = load(3, 0x100);
  other.operand = Operand::kB;
  CHECK(unit.dut.find(other) == kNone);
  other = load(4, 0x100);
  other.stride = 8;
  CHECK(unit.dut.find(other) == kNone);
  other = load(5, 0x100);
  other.form = 1;
  CHECK(unit.dut.find(other) == kNone);
  other = load(6, 0x100);
  other.source = 12;
  CHECK(unit.dut.find(other) == kNone);
  CHECK(unit.reused() == 0);
}

TEST_CASE("a load of the same warp is done again") {
  Unit unit;
  CHECK(unit.dut.find(load(0, 0x100)) == kNone);
  CHECK(unit.dut.find(load(0, 0x100)) == kNone);
  CHECK(unit.dut.find(load(1, 0x100)) == 0);
}

TEST_CASE("a load is known as long as a fragment is in its registers") {
  Unit unit;
  CHECK(unit.dut.find(load(0, 0x100)) == kNone);
  CHECK(unit.dut.find(load(1, 0x100)) == 0);
  unit.dut.overwrite(0, 20);  // warp 1 still has it
  CHECK(unit.dut.find(load(2, 0x100)) == 1);
  CHECK(unit.dut.find(load(1, 0x200)) == kNone);
  unit.dut.overwrite(2, 20);
  CHECK(unit.dut.find(load(3, 0x100)) == kNone);
}

TEST_CASE("nothing is reused across a barrier, a fence or an own store") {
  Unit unit;
  CHECK(unit.dut.find(load(0, 0x100)) == kNone);
  unit.dut.order(0, 1u << 0);  // whoever did it
  CHECK(unit.dut.find(load(1, 0x100)) == kNone);
  unit.dut.order(0, 1u << 2);  // whoever asks
  CHECK(unit.dut.find(load(2, 0x100)) == kNone);
  CHECK(unit.dut.find(load(3, 0x200, 21)) == kNone);
  unit.dut.store(0, 4);
  CHECK(unit.dut.find(load(4, 0x200, 21)) == kNone);
  unit.dut.store(0, 3);  // whoever did it: not in order with others before its next fence
  CHECK(unit.dut.find(load(5, 0x200, 21)) != kNone);
}

TEST_CASE("a full table forgets its oldest load, and nothing waits") {
  LoadReuseParams params;
  params.entries = 2;
  Unit unit(params);
  for (unsigned i = 0; i < 3; ++i)
    CHECK(unit.dut.find(load(0, 0x100 * i, static_cast<std::uint8_t>(i))) == kNone);
  CHECK(unit.dut.find(load(1, 0x200, 2)) == 0);
  CHECK(unit.dut.find(load(1, 0x100, 1)) == 0);
  CHECK(unit.dut.find(load(1, 0x000, 0)) == kNone);
  CHECK(unit.dut.stats().max_fill.value() == 2);
}

TEST_CASE("a saved unit goes on as it was") {
  Unit unit;
  CHECK(unit.dut.find(load(0, 0x100)) == kNone);
  CHECK(unit.dut.find(load(1, 0x100)) == 0);
  std::stringstream saved;
  {
    spica::base::Checkpoint to(static_cast<std::ostream&>(saved));
    unit.dut.timing(to);
  }
  unit.dut.reset();
  CHECK(unit.dut.find(load(2, 0x100)) == kNone);
  spica::base::Checkpoint from(static_cast<std::istream&>(saved));
  unit.dut.timing(from);
  unit.dut.overwrite(0, 20);
  CHECK(unit.dut.find(load(2, 0x100)) == 1);
}
