// SPDX-License-Identifier: Apache-2.0
#include "models/matrix_unit/loop_registers.h"

#include <fmt/format.h>

#include <ostream>

namespace spica::matrix_unit {

LoopSlots::LoopSlots(const MatrixUnitParams& p)
    : dim_(static_cast<std::uint32_t>(p.dim)),
      shared_rows_(p.shared_rows()),
      accumulator_rows_(p.accumulator_rows()),
      latency_(p.loop_start_latency) {
  reset();
}

void LoopSlots::reset() {
  head_ = 0;
  sums_start_ = 0;
  loops_ = 0;
  for (unsigned i = 0; i < 2; ++i) {
    slots_[i] = LoopSlot{};
    slots_[i].registers.row_a = i * (shared_rows_ / 2);
    slots_[i].registers.end_b = (i + 1) * (shared_rows_ / 2);
  }
}

bool LoopSlots::is_loop_command(unsigned function) {
  return (function >= MATRIX_UNIT_LOOP_WS && function <= MATRIX_UNIT_LOOP_STRIDE_DC) ||
         function == MATRIX_UNIT_LOOP_SPAD_AB || function == MATRIX_UNIT_LOOP_SPAD_C;
}

std::string LoopSlots::accept(const RoccCommand& command, base::Cycle now) {
  LoopSlot& slot = configuring();
  LoopRegisters& r = slot.registers;
  const std::uint64_t rs1 = command.rs1, rs2 = command.rs2;
  switch (command.function) {
    case MATRIX_UNIT_LOOP_BOUNDS:
      r.bound.i = low(rs2) >> MATRIX_UNIT_BOUND_I_SHIFT & MATRIX_UNIT_BOUND_MASK;
      r.bound.j = low(rs2) >> MATRIX_UNIT_BOUND_J_SHIFT & MATRIX_UNIT_BOUND_MASK;
      r.bound.k = high(rs2) >> MATRIX_UNIT_BOUND_K_HI_SHIFT & MATRIX_UNIT_BOUND_MASK;
      r.pad.i = low(rs1) >> MATRIX_UNIT_BOUND_I_SHIFT & MATRIX_UNIT_BOUND_MASK;
      r.pad.j = low(rs1) >> MATRIX_UNIT_BOUND_J_SHIFT & MATRIX_UNIT_BOUND_MASK;
      r.pad.k = high(rs1) >> MATRIX_UNIT_BOUND_K_HI_SHIFT & MATRIX_UNIT_BOUND_MASK;
      return {};
    case MATRIX_UNIT_LOOP_ADDRESS_AB:
      r.address_a = low(rs1);
      r.address_b = low(rs2);
      return {};
    case MATRIX_UNIT_LOOP_ADDRESS_DC:
      r.address_d = low(rs1);
      r.address_c = low(rs2);
      return {};
    case MATRIX_UNIT_LOOP_STRIDE_AB:
      r.stride_a = low(rs1);
      r.stride_b = low(rs2);
      return {};
    case MATRIX_UNIT_LOOP_STRIDE_DC:
      r.stride_d = low(rs1);
      r.stride_c = low(rs2);
      return {};
    case MATRIX_UNIT_LOOP_SPAD_AB:
      r.row_a = low(rs1);
      r.end_b = low(rs2);
      return {};
    case MATRIX_UNIT_LOOP_SPAD_C: r.row_c = low(rs1); return {};
    default: return start(command, now);
  }
}

std::string LoopSlots::start(const RoccCommand& command, base::Cycle now) {
  LoopSlot& slot = configuring();
  LoopRegisters& r = slot.registers;
  const std::uint32_t mode = low(command.rs1), skips = low(command.rs2);
  if ((mode >> MATRIX_UNIT_LOOP_ACTIVATION_SHIFT & MATRIX_UNIT_LOOP_ACTIVATION_MASK) != 0)
    return "LOOP_WS asks for an activation function; this unit has none";
  if ((skips &
       (MATRIX_UNIT_LOOP_TRANSPOSE_A | MATRIX_UNIT_LOOP_TRANSPOSE_B | MATRIX_UNIT_LOOP_RESIDUAL_ADD)) != 0)
    return "LOOP_WS asks for a transposed operand or a residual add; this unit has neither";
  r.accumulate = (mode & MATRIX_UNIT_LOOP_ACCUMULATE) != 0;
  r.low_d = (mode & MATRIX_UNIT_LOOP_LOW_D) != 0;
  r.store_shared = (skips & MATRIX_UNIT_LOOP_SPAD_ONLY) != 0;
  // The row in LOOP_WS is used unless it is 0; then the C register is (its own reset value is 0).
  r.store_row = high(command.rs2) != 0 ? high(command.rs2) : r.row_c;
  r.sums_start = sums_start_;
  r.origin = command.origin;
  // A scratchpad id other than 0 selects a half of shared memory instead of the rows of the
  // slot.
  const std::uint32_t a_id = mode >> MATRIX_UNIT_LOOP_A_SPAD_ID_SHIFT & MATRIX_UNIT_LOOP_SPAD_ID_MASK;
  const std::uint32_t b_id = mode >> MATRIX_UNIT_LOOP_B_SPAD_ID_SHIFT & MATRIX_UNIT_LOOP_SPAD_ID_MASK;
  r.tile_a = a_id != 0 ? (a_id - 1) * (shared_rows_ / 2) : r.row_a;
  r.tile_b_end = b_id != 0 ? b_id * (shared_rows_ / 2) : r.end_b;

  std::uint8_t skip = 0;
  const auto skip_if = [&skip](bool condition, Phase phase) {
    skip |= condition ? bit(phase) : std::uint8_t{0};
  };
  skip_if((skips & MATRIX_UNIT_LOOP_SKIP_LOAD_A) != 0, Phase::kLoadA);
  skip_if((skips & MATRIX_UNIT_LOOP_SKIP_LOAD_B) != 0, Phase::kLoadB);
  skip_if((skips & MATRIX_UNIT_LOOP_SKIP_LOAD_D) != 0 || r.address_d == 0, Phase::kLoadD);
  skip_if((skips & MATRIX_UNIT_LOOP_SKIP_EXECUTE) != 0, Phase::kExecute);
  skip_if((skips & MATRIX_UNIT_LOOP_SKIP_STORE) != 0 || (!r.store_shared && r.address_c == 0), Phase::kStore);
  std::string wrong = check(r, skips);
  if (!wrong.empty()) return wrong;
  const bool execute = (skips & MATRIX_UNIT_LOOP_SKIP_EXECUTE) == 0;
  const bool moves = r.store_shared ? (skips & MATRIX_UNIT_LOOP_NEXT_ACCUMULATOR) != 0 : r.address_c != 0;
  if (execute && moves) sums_start_ = sums_start_ == 0 ? accumulator_rows_ / 2 : 0;
  r.number = ++loops_;
  slot.configured = true;
  slot.start = now + latency_;
  slot.started = skip;
  slot.completed = skip;
  return {};
}

std::string LoopSlots::check(const LoopRegisters& r, std::uint32_t skips) const {
  const bool load_a = (skips & MATRIX_UNIT_LOOP_SKIP_LOAD_A) == 0,
             load_b = (skips & MATRIX_UNIT_LOOP_SKIP_LOAD_B) == 0;
  const bool execute = (skips & MATRIX_UNIT_LOOP_SKIP_EXECUTE) == 0;
  const bool store = (skips & MATRIX_UNIT_LOOP_SKIP_STORE) == 0;
  const bool load_d = (skips & MATRIX_UNIT_LOOP_SKIP_LOAD_D) == 0 && r.address_d != 0;
  const std::uint64_t rows_a = std::uint64_t{r.bound.i} * r.bound.k * dim_;
  const std::uint64_t rows_b = std::uint64_t{r.bound.k} * r.bound.j * dim_;
  const std::uint64_t rows_c = std::uint64_t{r.bound.i} * r.bound.j * dim_;
  if (r.bound.i == 0 || r.bound.j == 0 || r.bound.k == 0)
    return fmt::format("LOOP_WS with bounds I={} J={} K={}; none may be 0", r.bound.i, r.bound.j, r.bound.k);
  if (r.pad.i >= dim_ || r.pad.j >= dim_ || r.pad.k >= dim_)
    return fmt::format("LOOP_WS with padding of a whole block (I {} J {} K {})", r.pad.i, r.pad.j, r.pad.k);
  if ((load_a || execute) && r.tile_a + rows_a > shared_rows_)
    return fmt::format("A tile at rows {}..{} lies outside shared memory ({} rows)", r.tile_a,
                       r.tile_a + rows_a - 1, shared_rows_);
  if ((load_b || execute) && (r.tile_b_end < rows_b || r.tile_b_end > shared_rows_))
    return fmt::format("B tile of {} rows ending at row {} lies outside shared memory ({} rows)", rows_b,
                       r.tile_b_end, shared_rows_);
  if ((execute || store || load_d) && rows_c > accumulator_rows_)
    return fmt::format("C tile of {} rows does not fit the accumulator ({} rows)", rows_c, accumulator_rows_);
  if (store && r.store_shared && r.store_row + rows_c > shared_rows_)
    return fmt::format("C tile at rows {}..{} lies outside shared memory ({} rows)", r.store_row,
                       r.store_row + rows_c - 1, shared_rows_);
  return {};
}

void LoopSlots::dump(std::ostream& out) const {
  static constexpr const char* kNames[] = {"load A", "load B", "load D", "execute", "store"};
  for (unsigned i = 0; i < slots_.size(); ++i) {
    const LoopSlot& slot = slots_[i];
    const LoopRegisters& r = slot.registers;
    out << "  loop slot " << i << (i == head_ ? " (older): " : ": ") << (slot.configured ? "running" : "free")
        << ", bounds I " << r.bound.i << " J " << r.bound.j << " K " << r.bound.k;
    if (slot.configured) {
      for (unsigned p = 0; p < kPhases; ++p)
        if (const auto phase = static_cast<Phase>(p); !slot.has_completed(phase))
          out << ", " << kNames[p] << (slot.has_started(phase) ? " under way" : " not started");
      out << ", issued by core " << r.origin.core << " warp " << unsigned{r.origin.warp} << " pc 0x"
          << std::hex << r.origin.pc << std::dec;
    }
    out << '\n';
  }
}

}  // namespace spica::matrix_unit
