// SPDX-License-Identifier: Apache-2.0

#include "models/matrix_unit/reservation_station.h"
#include "models/matrix_unit/rocc_decoder.h"
#include "testbenches/support/catch.h"

using namespace spica::matrix_unit;
using Kind = UnitCommand::Kind;

namespace {

UnitCommand command(Kind kind, RowRange shared, RowRange accumulator = {}) {
  UnitCommand c;
  c.kind = kind;
  c.shared = shared;
  c.accumulator = accumulator;
  return c;
}

}  // namespace

TEST_CASE("a compute waits for the older load of its rows only") {
  ReservationStation s(8, 4, 16);
  s.allocate(command(Kind::kLoad, {0, 8, true}));
  s.allocate(command(Kind::kLoad, {8, 16, true}));
  s.allocate(command(Kind::kCompute, {8, 16, false}));
  const unsigned first = s.issue(CommandClass::kLoad), second = s.issue(CommandClass::kLoad);
  CHECK_FALSE(s.can_issue(CommandClass::kExecute));
  CHECK(s.blocked_by(CommandClass::kExecute, CommandClass::kLoad));
  s.complete(CommandClass::kLoad, first);
  CHECK_FALSE(s.can_issue(CommandClass::kExecute));
  s.complete(CommandClass::kLoad, second);
  CHECK(s.can_issue(CommandClass::kExecute));
}

TEST_CASE("a younger load of other rows does not hold an older compute and two reads never conflict") {
  ReservationStation s(8, 4, 16);
  s.allocate(command(Kind::kCompute, {0, 8, false}, {0, 8, true}));
  s.allocate(command(Kind::kLoad, {0, 8, true}));
  s.allocate(command(Kind::kStore, {}, {0, 8, false}));
  CHECK(s.can_issue(CommandClass::kExecute));
  CHECK_FALSE(s.can_issue(CommandClass::kLoad));   // write after read
  CHECK_FALSE(s.can_issue(CommandClass::kStore));  // read after write
  s.complete(CommandClass::kExecute, s.issue(CommandClass::kExecute));
  CHECK(s.can_issue(CommandClass::kLoad));
  CHECK(s.can_issue(CommandClass::kStore));
}

TEST_CASE("each class has room of its own") {
  ReservationStation s(2, 1, 2);
  s.allocate(command(Kind::kLoad, {}));
  s.allocate(command(Kind::kLoad, {}));
  CHECK_FALSE(s.has_room(CommandClass::kLoad));
  CHECK(s.has_room(CommandClass::kStore));
  CHECK(s.has_room(CommandClass::kExecute, 2));
  s.complete(CommandClass::kLoad, s.issue(CommandClass::kLoad));
  CHECK(s.has_room(CommandClass::kLoad));
}

TEST_CASE("wrong explicit commands say what is wrong") {
  MatrixUnitParams p;
  TransferRegisters registers;
  RoccDecoder decoder(p, registers);
  const auto wrong = [&](unsigned function, std::uint64_t rs1, std::uint64_t rs2) {
    const auto result = decoder.decode({function, rs1, rs2, {}});
    CHECK(result.count == 0);
    return result.wrong;
  };
  const auto at = [](std::uint32_t address, std::uint64_t rows, std::uint64_t columns) {
    return rows << 48 | columns << 32 | address;
  };
  CHECK(wrong(MATRIX_UNIT_CONFIG, 0, 0).find("output-stationary") != std::string::npos);
  CHECK(wrong(MATRIX_UNIT_CONFIG, 0x104, 0).find("transpose") != std::string::npos);
  CHECK(wrong(MATRIX_UNIT_CONFIG, 0xC, 0).find("activation") != std::string::npos);
  CHECK(wrong(MATRIX_UNIT_CONFIG, 0x19, 0).find("load state 3") != std::string::npos);
  CHECK(wrong(MATRIX_UNIT_CONFIG, 3, 0).find("normalisation") != std::string::npos);
  CHECK(wrong(MATRIX_UNIT_MVIN, 0, at(2041, 8, 8)).find("shared memory") != std::string::npos);
  CHECK(wrong(MATRIX_UNIT_MVIN, 0, at(0, 9, 8)).find("rows must be 1 to 8") != std::string::npos);
  CHECK(wrong(MATRIX_UNIT_MVIN, 0, at(0, 8, 17)).find("at most 16") != std::string::npos);
  CHECK(wrong(MATRIX_UNIT_MVIN, 0, at(0, 8, 0)).find("columns") != std::string::npos);
  CHECK(wrong(MATRIX_UNIT_MVIN3, 0, at(0x80000000 | 505, 8, 8)).find("accumulator") != std::string::npos);
  CHECK(wrong(MATRIX_UNIT_MVOUT, 0, at(0, 8, 8)).find("accumulator only") != std::string::npos);
  CHECK(wrong(MATRIX_UNIT_MVOUT_SPAD, 2045, at(0x80000000, 8, 8)).find("shared memory") != std::string::npos);
  CHECK(wrong(MATRIX_UNIT_PRELOAD, at(0, 8, 8), at(0, 8, 8)).find("accumulator only") != std::string::npos);
  CHECK(wrong(MATRIX_UNIT_COMPUTE_FLIP, at(0, 8, 8), at(0, 8, 8)).find("bias") != std::string::npos);
  CHECK(decoder.decode({MATRIX_UNIT_FLUSH, 0, 0, {}}).wrong.empty());
}
