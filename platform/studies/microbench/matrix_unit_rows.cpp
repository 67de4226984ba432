// SPDX-License-Identifier: Apache-2.0
// The matrix unit's array and its DMA against the shape of the tile. All numbers are about unit 0.
#include "platform/studies/microbench/microbench.h"

namespace spica::microbench {

namespace {

constexpr std::uint32_t kA = kMicrobenchMemory, kB = kA + 0x100'0000;

/// Bounds of a loop in blocks of DIM: A has i rows and k columns, B k rows and j columns.
struct Shape {
  std::uint32_t i, j, k;
  std::string text() const { return fmt::format("{} x {} x {}", i, j, k); }
};

MicrobenchProgram loop_program(const soc::SocParams& p, const Shape& shape) {
  const auto& unit = p.cluster.matrix_units[0];
  MicrobenchProgram program;
  program.i = shape.i;
  program.j = shape.j;
  program.k = shape.k;
  program.dim = low(unit.dim);
  program.element_bytes = unit.element_bytes();
  program.a_row = 0;
  program.b_end = low(p.cluster.shared_memory.size / unit.row_bytes());
  program.a_stride = shape.k * unit.row_bytes();
  program.b_stride = shape.j * unit.row_bytes();
  program.lane_address[0] = kA;
  program.lane_address[1] = kB;
  program.registers = low(p.cluster.memory_map.shared_base + p.cluster.shared_memory.size +
                          p.cluster.memory_map.registers_offset);
  return program;
}

bool fits(const soc::SocParams& p, const Shape& shape) {
  const auto& unit = p.cluster.matrix_units[0];
  const std::uint64_t block = unit.dim * unit.row_bytes(), half = p.cluster.shared_memory.size / 2;
  return shape.i * shape.k * block <= half && shape.k * shape.j * block <= half &&
         shape.i * shape.j * unit.dim <= unit.accumulator_rows();
}

/// The load commands of one operand: `commands` of DIM rows, each row one request of `bytes`.
struct Loads {
  double commands, bytes;
};

template <class Unit>
Loads loads_of(const Unit& unit, std::uint32_t across, std::uint32_t along) {
  const std::uint32_t side_by_side = std::min(along, unit.transfer_blocks());
  return {number(across) * beats(along, side_by_side), number(side_by_side * unit.row_bytes())};
}

/// From a read's translation to its data, the first beat of which has come.
Formula read_round_trip(const soc::SocParams& p, const Formula* dram) {
  const L2Link link = l2_link(p);
  Formula f = term(label(p, p.cluster.dma.translate_latency), number(p.cluster.dma.translate_latency))
                  .add(link.request_key, number(link.request_latency))
                  .add("L2 queue", 1)
                  .add("l2.hit_latency", number(p.l2.hit_latency))
                  .add(link.response_key, number(link.response_latency));
  if (dram != nullptr) f.add(l2_miss(p, *dram));
  return f;
}

/// From one store to a register to the next: the core waits for the answer of each, and the
/// kernel's loop has 16 of them, an addition and a branch.
Formula launch_period(const soc::SocParams& p) {
  const Formula branch = unit_latency(p, "alu_latency", p.cluster.core.alu_latency);
  const double loop = (2 * fetch_period(p).value + 1 + branch.value) / 16;
  return largest(
      fetch_period(p).add("kernel's loop / 16", loop),
      term("peripheral_bus.request_latency", number(p.cluster.peripheral_bus.request_latency))
          .add("register", 1)
          .add("peripheral_bus.response_latency", number(p.cluster.peripheral_bus.response_latency))
          .add("next lane", 1));
}

/// Enough loops of `cycles` that the end, which is found by polling, does not count.
std::uint32_t enough_loops(double cycles) {
  return 16 + 16 * static_cast<std::uint32_t>(std::min(64.0, 2000 / cycles));
}

/// Cycles of one loop that loads A, then B: for each whatever is slowest of bus, reads in flight
/// and commands in flight; from DRAM also what a line costs the L2's bank.
Formula load_cycles(const soc::SocParams& p, const Shape& shape, const Formula* dram) {
  const auto& unit = p.cluster.matrix_units[0];
  auto dma = p.cluster.dma;
  dma.accumulator_row_bytes = unit.accumulator_row_bytes();
  const Loads operands[2] = {loads_of(unit, shape.i, shape.k), loads_of(unit, shape.k, shape.j)};
  const double width = number(std::min(l2_link(p).bytes, dma.bus_bytes));
  const Formula trip = read_round_trip(p, dram);
  // A written row comes back: request buffer, bank, response buffer.
  const double write =
      1 + number(std::max<std::uint64_t>(1, p.cluster.shared_memory.wide_buffer_latency) +
                 p.cluster.shared_memory.write_latency + p.cluster.shared_memory.wide_buffer_latency);
  Formula result;
  for (const Loads& loads : operands) {
    const double requests = loads.commands * number(unit.dim);
    const double request_beats = std::max(1.0, loads.bytes / width);
    const double in_command = trip.value + number(unit.dim) * request_beats + write;
    const Formula bus{requests * request_beats, "requests * bus beats"};
    const Formula ids{requests * (trip.value + request_beats - 1) / number(dma.read_ids),
                      "requests * round trip / " + label(p, p.cluster.dma.read_ids)};
    const Formula tracked{
        loads.commands * in_command / number(dma.tracked()),
        "commands * (round trip + rows + write) / " + label(p, p.cluster.dma.tracked_loads)};
    Formula slowest = largest(largest(bus, ids), tracked);
    if (dram != nullptr) slowest = largest(slowest, l2_bank_cycles(p, requests * loads.bytes, loads.bytes));
    slowest.text = fmt::format("{} {:g}", slowest.text, slowest.value);
    result.add(slowest);
  }
  result.text += fmt::format(" with round trip {} = {:g}", trip.text, trip.value);
  return result;
}

}  // namespace

void dma_rows(const soc::SocParams& p, std::vector<MicrobenchRow>& rows) {
  if (p.cluster.matrix_units.empty()) return;
  const auto& unit = p.cluster.matrix_units[0];
  const auto& device = p.main_memory.dram;
  const Formula hit = dram_cycles(p, term("cl", number(device.cl)).add("burst", number(device.burst)));
  for (const bool resident : {true, false}) {
    for (const Shape& shape :
         {Shape{8, 8, 8}, Shape{4, 4, 4}, Shape{8, 8, 1}, Shape{1, 1, 8}, Shape{8, 8, 2}}) {
      if (!fits(p, shape)) continue;
      const double bytes =
          number(std::uint64_t{shape.i * shape.k + shape.k * shape.j} * unit.dim * unit.row_bytes());
      MicrobenchRow row;
      row.name = fmt::format("loads of {} blocks, {}", shape.text(), resident ? "L2 hits" : "first touch");
      row.unit = "B/cycle";
      row.program = loop_program(p, shape);
      row.program.mode = MicrobenchProgram::kDma;
      if (!resident)
        row.program.fresh = low(std::max(shape.i * shape.k, shape.k * shape.j) * unit.dim * unit.row_bytes());
      const Formula cycles = load_cycles(p, shape, resident ? nullptr : &hit);
      row.formula = {bytes / cycles.value, fmt::format("bytes {:g} / {}", bytes, cycles.text)};
      row.scale = bytes;
      row.rate = true;
      // Rows of one block share lines and mix with the other operand's: only roughly a sum.
      const bool short_rows = std::min(shape.k, shape.j) < unit.transfer_blocks();
      // How many banks of the L2 the rows of a command lie in follows from where A and B are.
      row.judged = p.l2.banks == 1 && (resident || knows_memory(p));
      row.tolerance = resident ? (short_rows ? 0.1 : 0.05) : (short_rows ? 0.2 : 0.15);
      row.program.loops = enough_loops(cycles.value);
      rows.push_back(row);
    }
  }
}

void matrix_unit_rows(const soc::SocParams& p, std::vector<MicrobenchRow>& rows) {
  if (p.cluster.matrix_units.empty()) return;
  const auto& unit = p.cluster.matrix_units[0];
  const auto add = [&](const Shape& shape, bool one_bank) {
    if (!fits(p, shape)) return;
    const double operations = number(std::uint64_t{shape.i} * shape.j * shape.k);
    MicrobenchRow row;
    row.name = fmt::format("{} blocks{}", shape.text(), one_bank ? ", A and B in one bank" : "");
    row.unit = "% of peak";
    row.program = loop_program(p, shape);
    row.program.mode = MicrobenchProgram::kMatrix;
    Formula cycles{operations * number(unit.dim), "dim * i * j * k"};
    if (one_bank) {
      row.program.b_end = (shape.i * shape.k + shape.k * shape.j) * low(unit.dim);
      cycles = {cycles.value + number(unit.dim * shape.j * shape.k),
                "dim * i * j * k rows of A + dim * j * k rows of B"};
    }
    cycles = largest(cycles, launch_period(p));
    row.formula = {100 * operations * number(unit.dim) / cycles.value,
                   fmt::format("dim * i * j * k / ({})", cycles.text)};
    row.scale = 100 * operations * number(unit.dim);
    row.rate = true;
    row.tolerance = one_bank ? 0.15 : 0.02;  // A's reads run ahead, then B's come late
    row.program.loops = enough_loops(cycles.value);
    rows.push_back(row);
  };
  for (const Shape& shape : {Shape{8, 8, 8}, Shape{4, 4, 4}, Shape{2, 2, 2}, Shape{1, 1, 1}, Shape{8, 1, 1},
                             Shape{1, 8, 1}, Shape{1, 1, 8}, Shape{1, 8, 8}, Shape{8, 8, 1}})
    add(shape, false);
  if (p.cluster.shared_memory.words * p.cluster.shared_memory.word_bytes == unit.row_bytes())
    for (const Shape& shape : {Shape{4, 4, 4}, Shape{1, 4, 4}}) add(shape, true);
}

}  // namespace spica::microbench
