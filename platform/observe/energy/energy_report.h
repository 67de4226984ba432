// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "models/isa/instruction.h"
#include "platform/machine/loader/source_map.h"
#include "platform/observe/energy/machine_energies.h"
#include "platform/observe/energy/recorder.h"

namespace spica::energy {

/// Energy of a period, in microjoules and milliwatts. On chip unless the name contains DRAM.
struct SpanEnergy {
  base::Cycle begin = 0, end = 0;
  double seconds = 0;
  power::Interval active_uj, idle_uj, dram_uj;
  power::Interval active_mw, idle_mw, dram_mw;
  power::Interval dram_idle_uj, dram_idle_mw;  // standby; not included in dram_uj
  /// Nominal active energy by unit, adding up to active_uj: "cores" (without tensor cores), "tensor_cores",
  /// "matrix_unit" ... The same units in all spans of a machine.
  std::vector<std::pair<std::string, double>> units_uj;
};

/// The energy of one instruction of the program, or of no instruction.
struct InstructionEnergy {
  std::uint32_t pc = 0;
  protocol::LineRow activity;
  power::Interval active_pj;
};
/// On-chip and DRAM energy that belongs to no instruction, by event.
struct UnattributedEnergy {
  std::string event;
  power::Interval active_pj;
};

/// The events of one kind in the window, and their energy.
struct KindEnergy {
  double count = 0;
  power::Interval active_pj;
};

/// A type of on-chip block without any event in the whole run.
struct UnusedUnit {
  const base::BlockType* type;
  unsigned blocks = 0;
  power::Interval idle_mw;
  double mm2 = 0;  // nominal area, in the technology of the run
};

/// The energy of a finished run in all its breakdowns. The constructor checks that all of them add up to the same
/// total.
class EnergyReport {
 public:
  /// Throws std::logic_error if sums do not match.
  EnergyReport(const Recorder& recorder, std::unique_ptr<MachineEnergies> energies,
               const power::PowerParams& params, isa::TensorStyle tensor_style);

  const Recorder& recorder() const { return recorder_; }
  const power::Activity& activity() const { return recorder_.activity(); }
  const power::EnergyTable& table() const { return energies_->table(); }
  const power::DeviceEnergies* device() const { return energies_->device(); }
  const power::EnergyModel& model() const { return energies_->model(); }
  const power::PowerParams& params() const { return params_; }
  /// How this machine decodes the tensor-core opcode.
  isa::TensorStyle tensor_style() const { return tensor_style_; }

  /// The measured window (between the markers), and the whole run.
  const SpanEnergy& window() const { return window_; }
  const SpanEnergy& whole() const { return whole_; }
  const std::vector<SpanEnergy>& steps() const { return steps_; }
  const std::vector<SpanEnergy>& regions() const { return regions_; }
  /// Energy of the window by block: children "soc" and "dram". In pJ.
  const power::EnergyNode& tree() const { return tree_; }
  /// Events of the window and their energy, by index in event_kinds().
  const std::vector<KindEnergy>& by_kind() const { return by_kind_; }
  /// Kinds of events that occurred and cost nothing.
  std::vector<std::size_t> zero_kinds() const;
  /// Units of the machine that the run did not use; with power.only_used they have no idle power.
  const std::vector<UnusedUnit>& unused() const { return unused_; }
  bool leaves_out(const base::BlockType& type) const;
  /// The energy of any events and time, for example of a part of the run.
  SpanEnergy of(const Span& span) const;
  /// Notes for the reader of the result: the technology and the kind of machine of the table, the scaling, energies
  /// extrapolated beyond the range of their law, events that cost nothing without a reason.
  std::vector<std::string> notes() const;
  /// By instruction, in the order of addresses, without instructions that were never executed. Empty unless the
  /// recorder counted lines.
  const std::vector<InstructionEnergy>& instructions() const { return instructions_; }
  const std::vector<UnattributedEnergy>& unattributed() const { return unattributed_; }

 private:
  std::string table_note() const;
  void find_unused();
  void attribute_lines();
  void check() const;

  const Recorder& recorder_;
  const std::unique_ptr<MachineEnergies> energies_;
  const power::PowerParams params_;
  const isa::TensorStyle tensor_style_;
  std::vector<std::string> units_;
  std::vector<std::size_t> unit_of_channel_;  // index in units_; past the end: off the chip
  std::vector<double> counts_;  // of the window, by channel of the activity
  std::vector<KindEnergy> by_kind_;
  SpanEnergy window_, whole_;
  std::vector<SpanEnergy> steps_, regions_;
  power::EnergyNode tree_;
  std::vector<InstructionEnergy> instructions_;
  std::vector<UnattributedEnergy> unattributed_;
  std::vector<UnusedUnit> unused_;
};

}  // namespace spica::energy
