// SPDX-License-Identifier: Apache-2.0
// What a site is called, and what the rules of the matrix unit say of two of them.
#include "platform/observe/check/unit_sites.h"

#include "models/matrix_unit/matrix_unit_regs.h"
#include "models/matrix_unit/matrix_unit_rules.h"
#include "testbenches/support/catch.h"

using namespace spica;
using check::Engine;
using What = check::Accessor::What;

namespace {

std::uint32_t site_of(check::UnitSites& sites, std::uint32_t command, std::uint32_t loop, What what) {
  protocol::Origin origin{protocol::Origin::Unit::kCore, 3, 1, 0x8000'0040, 1};
  origin.command = command;
  return sites.site(0, {protocol::UnitWork::Kind::kLoad, 1, origin, {}, {}, loop}, what);
}

}  // namespace

TEST_CASE("a site is one command and what is done for it") {
  check::UnitSites sites(1, matrix_unit::matrix_unit_rules());
  check::Accessor giver;
  giver.core = 1;
  giver.pc = 0x8000'0020;
  giver.command = 7;
  giver.through_csr = true;
  sites.take(0, giver);
  const std::uint32_t load = site_of(sites, 7, 1, What::kUnitLoad);
  CHECK(site_of(sites, 7, 1, What::kUnitLoad) == load);
  CHECK(site_of(sites, 7, 1, What::kUnitStore) != load);
  CHECK(sites.accessor(load).through_csr);
  CHECK(sites.accessor(load).pc == 0x8000'0020);
  CHECK(sites.accessor(load).what == What::kUnitLoad);
  const std::uint32_t other = site_of(sites, 8, 1, What::kUnitLoad);  // of a command that nobody saw
  CHECK(sites.accessor(other).pc == 0x8000'0040);
  CHECK(sites.accessor(other).warp == 3);
}

TEST_CASE("a matrix unit keeps all in order but loads of neighbouring loops") {
  check::UnitSites sites(1, matrix_unit::matrix_unit_rules());
  const std::uint32_t one = site_of(sites, 1, 1, What::kUnitLoad),
                      two = site_of(sites, 2, 2, What::kUnitOperand),
                      three = site_of(sites, 3, 3, What::kUnitLoad),
                      none = site_of(sites, 4, 0, What::kUnitLoad);
  CHECK_FALSE(sites.in_order(one, Engine::kLoad, two, Engine::kExecute));
  CHECK_FALSE(sites.in_order(two, Engine::kExecute, one, Engine::kLoad));
  CHECK(sites.in_order(one, Engine::kExecute, two, Engine::kStore));
  CHECK(sites.in_order(one, Engine::kLoad, three, Engine::kLoad));
  CHECK(sites.in_order(none, Engine::kLoad, two, Engine::kExecute));
  check::Accessor knows;  // that all of loop 4 was issued when it gave the command of loop 5
  knows.command = 6;
  knows.issued_loops = 4;
  sites.take(0, knows);
  const std::uint32_t four = site_of(sites, 5, 4, What::kUnitLoad),
                      five = site_of(sites, 6, 5, What::kUnitOperand);
  CHECK(sites.in_order(four, Engine::kLoad, five, Engine::kExecute));
  CHECK(sites.in_order(five, Engine::kExecute, four, Engine::kLoad));
}

TEST_CASE("units without rules keep nothing in order and have no registers") {
  const protocol::UnitRules none;
  CHECK_FALSE(none.in_order({1, true, 0}, {3, true, 0}));
  CHECK(none.register_at(MATRIX_UNIT_BUSY) == protocol::UnitRules::Register::kOther);
  CHECK(matrix_unit::matrix_unit_rules().register_at(MATRIX_UNIT_BUSY) ==
        protocol::UnitRules::Register::kBusy);
  CHECK(matrix_unit::matrix_unit_rules().unit_of(3u << MATRIX_UNIT_CISC_UNIT_SHIFT) == 3);
}
