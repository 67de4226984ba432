// SPDX-License-Identifier: Apache-2.0
// The description of a matrix unit and the node in front of the units for reports: type, properties, area.
#include "models/matrix_unit/accelerator_node.h"
#include "models/matrix_unit/command_names.h"
#include "models/matrix_unit/fast_matrix_unit.h"
#include "models/matrix_unit/matrix_unit.h"
#include "models/matrix_unit/matrix_unit_rules.h"
#include "models/numeric/mac_kinds.h"

namespace spica::matrix_unit {

namespace {

std::vector<base::EnergyEvent> matrix_unit_events() {
  auto events = numeric::mac_events("matrix_unit", "pes");
  events.front().doc =
      "multiply-accumulates of FP32 operands, with the pipeline registers of a processing element";
  // clang-format off: name, counters, unit, place in the tree, counter of the per-instruction profile, meaning
  events.insert(events.end(), {
      {"matrix_unit.weight", {{"preloads", 1, "block_words"}}, "word", "pes", {},
       "weights moved into the array"},
      {"matrix_unit.operand", {{"rows_read_a", 1, "row_words"}, {"rows_read_b", 1, "row_words"}}, "word",
       "operands", {}, "operand words through the interface to shared memory and the skew registers"},
      {"matrix_unit.accumulator_read",
       {{"accumulator_rows_accumulated", 1, "sum_words"}, {"accumulator_rows_read", 1, "sum_words"}}, "word",
       "accumulator", {}, "words read to be added to, and by DMA"},
      {"matrix_unit.accumulator_write",
       {{"accumulator_rows_added", 1, "sum_words"}, {"accumulator_rows_loaded", 1, "sum_words"}}, "word", "accumulator",
       {}, "words written by computes and by DMA"},
      {"matrix_unit.command",
       {{"block_operations"}, {"preloads"}, {"loads"}, {"stores"}, {"mmio_commands"}, {"cisc_commands"}},
       "command", "control", {}, "commands unrolled, queued and issued"},
  });
  // clang-format on
  return events;
}

base::BlockType unit_type() {
  base::BlockType type;
  type.name = "matrix_unit";
  type.order = 80;
  type.events = matrix_unit_events();
  type.idle = base::IdleEnergy{"idle", "a matrix unit with its accumulator"};
  type.reasons = {{"idle", "a command to work on", {"core", "peripheral_bus", "barrier"}},
                  {"operand_wait", "operand rows from shared memory", {"shared_memory", "matrix_unit"}},
                  {"load_wait", "operand tiles that the DMA is still loading", {"dma"}},
                  {"loading", "operand tiles that the DMA is still loading", {"dma"}},
                  {"store_wait", "results that the DMA is still storing", {"dma"}},
                  {"storing", "results that the DMA is still storing", {"dma"}},
                  {"draining", "the last sums to leave the array"},
                  {"preloading", "weights to enter the array"},
                  {"commands", "commands to be decoded and unrolled"}};
  type.parameters = "matrix_units";
  type.limiter = {"The matrix unit computes for", 10, "cycles", "computing", {"macs"}};
  type.arithmetic = {"macs", "macs_per_cycle", ""};
  type.charts = {{"matrix unit {}", false, "cycles", {"loops"}}};
  type.timeline_accounts = {"cycles"};
  return type;
}

base::BlockType node_type() {
  base::BlockType type;
  type.name = "accelerator";
  type.order = 85;
  type.free = "a wire from CSR to matrix unit";
  return type;
}

}  // namespace

const base::BlockType& MatrixUnit::block_type() {
  static const base::BlockType type = unit_type();
  return type;
}
const base::BlockType& AcceleratorNode::block_type() {
  static const base::BlockType type = node_type();
  return type;
}

namespace {
const base::KnownBlockType known_0(MatrixUnit::block_type()), known_1(AcceleratorNode::block_type());
const protocol::KnownUnitRules known_rules(matrix_unit_rules());
}  // namespace

std::string MatrixUnit::command_name(std::uint32_t word, bool cisc) const {
  return cisc ? cisc_name(params_.command_set, word) : rocc_name(word);
}

std::string FastMatrixUnit::command_name(std::uint32_t word, bool cisc) const {
  return cisc ? cisc_name(params_.command_set, word) : rocc_name(word);
}

base::Properties MatrixUnit::properties() const {
  const auto number = [](auto value) { return static_cast<double>(value); };
  base::Properties properties{{"dim", number(params_.dim)},
                              {"sum_words", number(params_.dim * params_.sum_bits()) / 32},
                              {"row_words", number(params_.row_bytes()) / 4},
                              {"block_words", number(params_.dim * params_.row_bytes()) / 4},
                              {"macs_per_cycle", number(params_.macs_per_cycle())}};
  numeric::add_mac_properties(properties, params_.operand);
  return properties;
}

}  // namespace spica::matrix_unit
