// SPDX-License-Identifier: Apache-2.0
// What commands mean, without a clock: both modes use it.
#include "models/matrix_unit/controller.h"
#include "models/matrix_unit/work_log.h"

#include <vector>

#include "testbenches/support/catch.h"

using namespace spica;
using namespace spica::matrix_unit;

namespace {

struct Faults final : protocol::FaultIf {
  void report(const protocol::GuestFault& fault) override { all.push_back(fault); }
  std::vector<protocol::GuestFault> all;
};

/// Writes down what an observer is told.
struct Watched final : protocol::Probed, protocol::ProbeIf {
  Watched() { attach_probe(*this, 7); }
  void on_command(base::Cycle now, unsigned source, const Origin& origin, std::uint32_t word) override {
    commands.push_back({now, source, origin.command, word});
  }
  void on_work_begin(base::Cycle, unsigned, const protocol::UnitWork& work) override {
    begun.push_back(work.id);
  }
  void on_work_end(base::Cycle, unsigned, std::uint32_t id) override { ended.push_back(id); }
  struct Command {
    base::Cycle now;
    unsigned source;
    std::uint32_t number, word;
  };
  std::vector<Command> commands;
  std::vector<std::uint32_t> begun, ended;
};

struct Unit {
  explicit Unit(MatrixUnitParams p = {})
      : params(p), controller(params, stats, watched), log(params, stats, watched) {
    controller.connect(faults);
    log.connect(faults);
  }
  Controller::Served access(bool write, std::uint32_t offset, std::uint32_t& value, unsigned bytes = 4) {
    protocol::Payload payload;
    payload.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
    payload.set_address(0x100 + offset);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
    payload.set_data_length(bytes);
    const auto served = controller.serve(payload, 5, [](std::uint32_t at) { return 100 + at; });
    status = payload.get_response_status();
    return served;
  }
  Controller::Served write(std::uint32_t offset, std::uint32_t value) { return access(true, offset, value); }
  void launch(unsigned function, std::uint64_t rs1, std::uint64_t rs2) {
    write(MATRIX_UNIT_RS1_LO, low(rs1));
    write(MATRIX_UNIT_RS1_HI, high(rs1));
    write(MATRIX_UNIT_RS2_LO, low(rs2));
    write(MATRIX_UNIT_RS2_HI, high(rs2));
    CHECK(write(MATRIX_UNIT_INSTRUCTION, function << MATRIX_UNIT_FUNCTION_SHIFT) ==
          Controller::Served::kLaunched);
  }
  /// All unit commands that what was given becomes.
  std::vector<UnitCommand> run() {
    std::vector<UnitCommand> out;
    UnitCommand command;
    while (controller.waiting() || controller.loops_configured()) {
      while (controller.loops_configured()) {
        const auto found = controller.unroll(base::kNever - 1, {true, true, true}, command);
        if (found.command) out.push_back(command);
      }
      controller.expand();
      if (!controller.has_front()) continue;
      REQUIRE(controller.can_take_front());
      const auto& decoded = controller.take_front(9);
      for (unsigned i = 0; i < decoded.count; ++i) out.push_back(decoded.commands[i]);
    }
    return out;
  }

  MatrixUnitParams params;
  MatrixUnitStats stats;
  Watched watched;
  Faults faults;
  Controller controller;
  WorkLog log;
  tlm::tlm_response_status status = tlm::TLM_OK_RESPONSE;
};

}  // namespace

TEST_CASE("a word of the CSR and a launch by MMIO are numbered, counted and told in the order they come") {
  Unit unit;
  CHECK(unit.controller.write_word(MATRIX_UNIT_Q_CONFIG, {}, 3));
  unit.run();
  unit.launch(MATRIX_UNIT_FLUSH, 0, 0);
  CHECK(unit.stats.cisc_commands.value() == 1);
  CHECK(unit.stats.mmio_commands.value() == 1);
  REQUIRE(unit.watched.commands.size() == 2);
  CHECK(unit.watched.commands[0].now == 3);
  CHECK(unit.watched.commands[0].word == MATRIX_UNIT_Q_CONFIG);
  CHECK(unit.watched.commands[0].number == 1);
  CHECK(unit.watched.commands[0].source == 7);
  CHECK(unit.watched.commands[1].word == MATRIX_UNIT_FLUSH);
  CHECK(unit.watched.commands[1].number == 2);
}

TEST_CASE("an unknown word is reported, and one that finds no place is lost; neither counts as a command") {
  Unit unit;
  CHECK_FALSE(unit.controller.write_word(7, {}, 4));
  CHECK(unit.controller.write_word(MATRIX_UNIT_Q_COMPUTE_0, {}, 4));
  CHECK_FALSE(unit.controller.write_word(MATRIX_UNIT_Q_COMPUTE_0, {}, 5));
  REQUIRE(unit.faults.all.size() == 2);
  CHECK(unit.faults.all[0].kind == protocol::FaultKind::kBadMatrixCommand);
  CHECK(unit.faults.all[0].cycle == 4);
  CHECK(unit.faults.all[1].kind == protocol::FaultKind::kCommandLost);
  CHECK(unit.faults.all[1].severity == protocol::Severity::kWarning);
  CHECK(unit.stats.cisc_commands.value() == 1);
  CHECK(unit.stats.commands_lost.value() == 1);
  CHECK(unit.stats.bad_commands.value() == 1);
}

TEST_CASE("registers are words, and only those that exist can be read or written") {
  Unit unit;
  std::uint32_t value = 0;
  unit.access(false, MATRIX_UNIT_BUSY, value);
  CHECK(unit.status == tlm::TLM_OK_RESPONSE);
  CHECK(value == 100 + MATRIX_UNIT_BUSY);
  CHECK(unit.stats.mmio_reads.value() == 1);
  unit.access(false, MATRIX_UNIT_LOOPS, value);  // hexadecile only
  CHECK(unit.status == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  unit.access(false, MATRIX_UNIT_RS1_LO, value);
  CHECK(unit.status == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  unit.access(true, MATRIX_UNIT_BUSY, value);
  CHECK(unit.status == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  for (const unsigned bytes : {1u, 2u}) {
    unit.access(false, MATRIX_UNIT_BUSY, value, bytes);
    CHECK(unit.status == tlm::TLM_BURST_ERROR_RESPONSE);
  }
  unit.access(false, MATRIX_UNIT_BUSY + 2, value);
  CHECK(unit.status == tlm::TLM_BURST_ERROR_RESPONSE);
  MatrixUnitParams p;
  p.command_set = CommandSet::kHexadecile;
  CHECK(Unit(p).controller.readable(MATRIX_UNIT_LOOPS));
}

TEST_CASE("a launch is held while a word is expanded and has no effect until then") {
  Unit unit;
  unit.controller.write_word(MATRIX_UNIT_Q_CONFIG, {}, 1);
  CHECK(unit.write(MATRIX_UNIT_INSTRUCTION, MATRIX_UNIT_FLUSH << MATRIX_UNIT_FUNCTION_SHIFT) ==
        Controller::Served::kHeld);
  CHECK(unit.stats.mmio_commands.value() == 0);
  unit.run();
  CHECK(unit.write(MATRIX_UNIT_INSTRUCTION, MATRIX_UNIT_FLUSH << MATRIX_UNIT_FUNCTION_SHIFT) ==
        Controller::Served::kLaunched);
}

TEST_CASE("the operands that stores latch go with every command until they change") {
  Unit unit;
  unit.launch(MATRIX_UNIT_CONFIG, 8ull << 16 | MATRIX_UNIT_CONFIG_LOAD, 512);
  unit.launch(MATRIX_UNIT_MVIN, 0xA0000040, 8ull << 48 | 8ull << 32 | 16);
  const auto commands = unit.run();
  REQUIRE(commands.size() == 1);
  CHECK(commands[0].kind == UnitCommand::Kind::kLoad);
  CHECK(commands[0].move.global_address == 0xA0000040);
  CHECK(commands[0].move.global_stride == 512);
  CHECK(commands[0].shared.begin == 16);
  CHECK(commands[0].origin.command == 2);
}

TEST_CASE("what loads convert and transpose is configured, where the DMA can") {
  const auto configured = [](unsigned state, unsigned flags, std::uint64_t formats, bool scales,
                             bool transposes, OperandFormat operand = OperandFormat::kFp32) {
    MatrixUnitParams p;
    p.operand = operand;
    p.dma_scales = scales;
    p.dma_transposes = transposes;
    Unit unit(p);
    unit.launch(MATRIX_UNIT_CONFIG, state << MATRIX_UNIT_LOAD_STATE_SHIFT | flags | MATRIX_UNIT_CONFIG_LOAD,
                formats << 32 | 256);
    unit.run();
    return unit.faults.all.empty() ? std::string() : unit.faults.all.front().detail;
  };
  constexpr std::uint64_t kToFp16 = MATRIX_UNIT_FORMAT_FP16 << MATRIX_UNIT_LOAD_TO_HI_SHIFT;
  const auto contains = [](const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
  };
  CHECK(configured(0, 0, 0, false, false).empty());
  CHECK(configured(1, 0, kToFp16 | MATRIX_UNIT_FORMAT_INT4, true, false).empty());
  CHECK(configured(0, MATRIX_UNIT_LOAD_TRANSPOSE, 0, false, true).empty());
  CHECK(configured(0, MATRIX_UNIT_LOAD_TRANSPOSE, kToFp16 | MATRIX_UNIT_FORMAT_INT4, true, true).empty());
  CHECK(
      contains(configured(0, 0, kToFp16 | MATRIX_UNIT_FORMAT_INT4, false, true), "cluster.dma.scale_units"));
  CHECK(contains(configured(0, MATRIX_UNIT_LOAD_TRANSPOSE, 0, true, false), "cluster.dma.transposer"));
  CHECK(contains(configured(2, MATRIX_UNIT_LOAD_TRANSPOSE, 0, true, true), "load state 2"));
  // Words of 16 bits: one of INT4 is half a byte.
  CHECK(configured(0, MATRIX_UNIT_LOAD_TRANSPOSE, 0, true, true, OperandFormat::kFp16).empty());
  CHECK(configured(0, 0, kToFp16 | MATRIX_UNIT_FORMAT_INT4, true, true, OperandFormat::kFp16).empty());
  CHECK(contains(configured(0, MATRIX_UNIT_LOAD_TRANSPOSE, kToFp16 | MATRIX_UNIT_FORMAT_INT4, true, true,
                            OperandFormat::kFp16),
                 "whole bytes"));
  CHECK(contains(
      configured(0, 0, MATRIX_UNIT_FORMAT_FP16 | MATRIX_UNIT_FORMAT_FP32 << MATRIX_UNIT_LOAD_TO_HI_SHIFT,
                 true, true, OperandFormat::kFp16),
      "a word of 16 bits must hold a whole number of elements"));
  CHECK(contains(configured(0, 0, kToFp16 | 10, true, true), "from format 10 to format 4"));
  CHECK(contains(configured(0, 0, kToFp16, true, true), "from format 0 to format 4"));
}

TEST_CASE("a loop becomes its commands and is counted once; an invalid one becomes nothing") {
  Unit unit;
  unit.launch(MATRIX_UNIT_LOOP_BOUNDS, 0, 2ull << 32 | 1 << 16 | 2);
  unit.launch(MATRIX_UNIT_LOOP_SPAD_AB, 0, 64);
  unit.run();  // the queue holds two
  unit.launch(MATRIX_UNIT_LOOP_WS, 0, MATRIX_UNIT_SKIPS_EXECUTE_ONLY);
  CHECK(unit.run().size() == 2 * 2 * 2);
  CHECK(unit.stats.loops.value() == 1);
  unit.launch(MATRIX_UNIT_LOOP_WS, 0, MATRIX_UNIT_SKIPS_EXECUTE_ONLY);  // the other slot has no bounds
  CHECK(unit.run().empty());
  REQUIRE(unit.faults.all.size() == 1);
  CHECK(unit.faults.all[0].cycle == 9);
  CHECK(unit.stats.loops.value() == 1);
  CHECK(unit.stats.bad_commands.value() == 1);
}

TEST_CASE(
    "the cycles of a unit put into its station what the commands become, in their order and as far as there is room") {
  Unit at_once, by_cycle;
  for (Unit* unit : {&at_once, &by_cycle}) unit->controller.write_word(MATRIX_UNIT_Q_COMPUTE_0, {}, 1);
  std::vector<UnitCommand> expected[kCommandClasses], found[kCommandClasses];
  for (const UnitCommand& command : at_once.run())
    expected[static_cast<unsigned>(command.command_class())].push_back(command);
  ReservationStation station(2, 2, 2);
  Controller& controller = by_cycle.controller;
  bool was_full = false;
  for (base::Cycle now = 2; controller.waiting() || controller.loops_configured() || !station.empty();
       ++now) {
    REQUIRE(now < 10'000);
    controller.tick(now, station);
    for (unsigned c = 0; c < kCommandClasses; ++c) {
      const auto of = static_cast<CommandClass>(c);
      was_full |= !station.has_room(of);
      if (now % 3 != 0 || station.head(of) == nullptr) continue;
      const unsigned entry = station.issue(of);
      found[c].push_back(station.command(of, entry));
      station.complete(of, entry);
      controller.room_made();
    }
  }
  CHECK(was_full);
  for (unsigned c = 0; c < kCommandClasses; ++c) {
    REQUIRE(found[c].size() == expected[c].size());
    for (std::size_t i = 0; i < found[c].size(); ++i) {
      CHECK(found[c][i].kind == expected[c][i].kind);
      CHECK(found[c][i].shared.begin == expected[c][i].shared.begin);
    }
  }
  CHECK(expected[static_cast<unsigned>(CommandClass::kExecute)].size() > 4);
}

TEST_CASE("work is counted when it begins and told from its begin to its end") {
  Unit unit;
  UnitCommand compute;
  compute.kind = UnitCommand::Kind::kCompute;
  compute.rows = 8;
  compute.columns = 5;
  unit.log.begin(compute, 30, 1);
  unit.log.end(30, 2);
  CHECK(unit.stats.block_operations.value() == 1);
  CHECK(unit.stats.macs.value() == 8 * 5 * 8);
  UnitCommand preload;
  preload.kind = UnitCommand::Kind::kPreload;
  unit.log.begin(preload, 31, 2);
  CHECK(unit.stats.preloads.value() == 0);  // keeps the weights
  preload.has_operand = true;
  unit.log.begin(preload, 32, 2);
  CHECK(unit.stats.preloads.value() == 1);
  CHECK(unit.watched.begun == std::vector<std::uint32_t>{30, 31, 32});
  CHECK(unit.watched.ended == std::vector<std::uint32_t>{30});
  unit.log.failed(UnitCommand{}, 8);
  CHECK(unit.faults.all[0].kind == protocol::FaultKind::kUnitAccess);
}

TEST_CASE("a reset forgets commands, operands and numbers") {
  Unit unit;
  unit.write(MATRIX_UNIT_RS1_LO, 77);
  unit.controller.write_word(MATRIX_UNIT_Q_COMPUTE_0, {}, 1);
  unit.controller.reset();
  CHECK_FALSE(unit.controller.waiting());
  unit.write(MATRIX_UNIT_INSTRUCTION, MATRIX_UNIT_LOOP_SPAD_AB << MATRIX_UNIT_FUNCTION_SHIFT);
  CHECK(unit.watched.commands.back().number == 1);
}
