// SPDX-License-Identifier: Apache-2.0
// The use of an energy table's entries for the blocks of a machine.
#pragma once

#include <string>
#include <vector>

#include "models/power/energy_model.h"

namespace spica::energy {

/// An entry, for blocks in which its law gives the same energy.
struct EntryUse {
  std::size_t kind = 0;  // index in event_kinds()
  std::string block;     // the first of these blocks
  unsigned blocks = 0;
  power::Interval each;  // pJ
  power::Scaling scaling;
};

/// By kind of event, then by block.
std::vector<EntryUse> entry_uses(const power::Activity& activity, const power::EnergyModel& model);

/// "from 64 KiB to 1 MiB, +-8 %": the sizes to which an energy was extrapolated beyond the range of its law; empty:
/// none.
std::string extrapolation_text(const power::Scaling& scaling);

/// One sentence for all energies that are extrapolated in the same way: "l2.read, l2.write: extrapolated from 64 KiB to
/// 1 MiB, +-8 %". Only for events in `counts`, by channel; empty: for all.
std::vector<std::string> extrapolation_notes(const power::Activity& activity, const power::EnergyModel& model,
                                             const std::vector<double>& counts = {});

/// True if the source of a zero entry explains it: another entry includes its energy, or nothing counts it.
bool is_explained(const std::string& source);

}  // namespace spica::energy
