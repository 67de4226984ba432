// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "models/matrix_unit/commands.h"
#include "models/matrix_unit/loop_commands.h"

namespace spica::matrix_unit {

/// Turns configured loops into unit commands, at most one per cycle.
///
/// Order     execute: for k, for j, for i: preload B(k,j) when i == 0, compute A(i,k) into C(i,j)
///           load A: for k (as wide as a transfer), for i; load B: for k, for j (as wide)
///           store: for j (as wide), for i
/// Priority  store, execute, load D, then A or B: the first B block before a second A block, after that A unless its k
///           is ahead of B's (gemmini LoopMatmul.scala)
/// Overlap   each part has one state machine, which moves to the younger loop when the older loop's part has been
///           issued; execution follows the loads of its own loop block by block, stores follow execution
/// Hazards   regardless of the accumulator half, a younger loop executes only after the older one's stores are issued,
///           stores only after its execution, and loads D only after both (UNCERTAIN: software uses fences in between)
class LoopUnroller {
 public:
  LoopUnroller(const MatrixUnitParams& params, LoopSlots& slots, const TransferRegisters& transfers);

  /// Starts the parts that can start in cycle `now`. Call once per cycle before next().
  void start_phases(base::Cycle now) {
    if (slots_.has_unstarted_phase()) start_waiting_phases(now);
  }
  /// The next command for which the reservation station has room (`room[class]`). False: none.
  using Room = std::array<bool, kCommandClasses>;
  bool next(const Room& room, UnitCommand& out);
  /// Call after next() returned a command. False: with this room, next() cannot return another one.
  bool may_resume(const Room& room) const;
  /// True while the execution of a loop waits for its own loads to be issued.
  bool execute_waits_for_loads() const { return waits_for_loads_; }
  void reset();
  template <class Archive>
  void serialize(Archive& archive) {
    archive(machines_, waits_for_loads_);
  }

 private:
  struct Machine {
    bool active = false;
    unsigned slot = 0;
    std::uint32_t i = 0, j = 0, k = 0;
    bool compute_next = false;  // execute: the preload of this block is issued
  };

  Machine& machine(Phase phase) { return machines_[static_cast<unsigned>(phase)]; }
  const Machine& machine(Phase phase) const { return machines_[static_cast<unsigned>(phase)]; }
  void start_waiting_phases(base::Cycle now);
  bool may_start(Phase phase, unsigned slot) const;
  void finish(Phase phase);
  bool past(Phase phase, unsigned slot) const;
  bool loads_ahead() const;
  bool execute_ahead(std::uint32_t blocks) const;
  bool choose_a() const;

  void load_a(UnitCommand& out);
  void load_b(UnitCommand& out);
  void load_d(UnitCommand& out);
  void execute(UnitCommand& out);
  void store(UnitCommand& out);
  const LoopRegisters& registers(const Machine& machine) const { return slots_.slot(machine.slot).registers; }

  const LoopCommands commands_;
  LoopSlots& slots_;
  std::array<Machine, kPhases> machines_{};
  bool waits_for_loads_ = false;
};

}  // namespace spica::matrix_unit
