// SPDX-License-Identifier: Apache-2.0
// What units do to memory: configured loads, alignment.
#include "platform/observe/check/unit_memory.h"

#include "models/isa/instruction.h"
#include "models/isa/registers.h"
#include "models/matrix_unit/matrix_unit_regs.h"
#include "testbenches/support/catch.h"
#include "testbenches/unit/check/check_bench.h"

using namespace spica;
using check::Kind;
using test::kGlobalWord;

namespace {

struct Transfers {
  soc::SocParams params;
  loader::Program program{};
  check::Objects objects{program};
  check::GroupParts groups;
  check::Written written;
  check::Moment moment;
  check::Findings findings;
  check::UnitMemory units{
      params,  [](unsigned) { return 0; }, matrix_unit::matrix_unit_rules(), objects, groups, written, moment,
      findings};

  std::vector<Kind> load(std::uint32_t address) {
    const protocol::Origin origin = test::CheckParts::command(2);
    protocol::Piece piece{protocol::Piece::Space::kGlobal, false, address, 2, 32, 32};
    piece.word_bytes = 4;
    units.begin(1, 0, {protocol::UnitWork::Kind::kLoad, 1, origin, piece, {}});
    std::vector<Kind> kinds;
    for (const check::Finding& f : findings.all()) kinds.push_back(f.kind);
    return kinds;
  }
  /// A warp stores `value` to a register of unit 0.
  void store(std::uint32_t offset, std::uint32_t value) {
    const isa::Instruction instruction = isa::decode(0x00F52023);  // sw a5,0(a0)
    isa::RegisterFile registers(8);
    registers.row(15)[0] = value;
    protocol::Region region;
    region.name = "unit";
    region.base = 0x4000;
    region.unit = 0;
    units.store({1, test::CheckParts::command(0), instruction, registers}, 0, 0x4000 + offset, region);
  }
};

}  // namespace

TEST_CASE("loads that nothing has configured are found, and how to configure them is said") {
  Transfers t;
  CHECK(t.load(kGlobalWord) == std::vector<Kind>{Kind::kUnconfigured});
  CHECK(t.findings.all()[0].advice == "configure them first (matrix_unit_config_load)");
}

TEST_CASE("a command configures loads by its word, or by its function and operand") {
  Transfers by_word, by_registers, of_stores;
  by_word.units.take(0, test::CheckParts::command(1), MATRIX_UNIT_Q_CONFIG);
  CHECK(by_word.load(kGlobalWord).empty());
  const auto configure = [](Transfers& t, std::uint32_t kind) {
    t.store(MATRIX_UNIT_RS1_LO, kind);
    t.store(MATRIX_UNIT_INSTRUCTION, MATRIX_UNIT_CONFIG << MATRIX_UNIT_FUNCTION_SHIFT);
    t.units.take(0, test::CheckParts::command(1), MATRIX_UNIT_CONFIG);
  };
  configure(by_registers, MATRIX_UNIT_CONFIG_LOAD);
  CHECK(by_registers.load(kGlobalWord).empty());
  configure(of_stores, MATRIX_UNIT_CONFIG_STORE);
  CHECK(of_stores.load(kGlobalWord).size() == 1);
}

TEST_CASE("a transfer from between elements is found") {
  Transfers t;
  t.units.take(0, test::CheckParts::command(1), MATRIX_UNIT_Q_CONFIG);
  CHECK(t.load(kGlobalWord + 2) == std::vector<Kind>{Kind::kAlignment});
}
