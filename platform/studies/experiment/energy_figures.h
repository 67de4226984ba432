// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "models/power/interval.h"
#include "platform/studies/sweep/sweep_file.h"

namespace spica::experiment {

struct CellResult;

/// The energy of a cell's run between the markers.
struct EnergyFigures {
  std::uint64_t warp_instructions = 0, register_file_accesses = 0;
  double active_power_mw = 0, active_energy_uj = 0, dram_uj = 0;
  /// Including idle power and DRAM.
  double total_power_mw = 0, total_energy_uj = 0, edp_uj_us = 0;
  std::optional<double> pj_per_mac;
  power::Interval active_uj;
  /// Parts of active_energy_uj. A tensor core is included in the matrix unit, not in the core.
  double core_uj = 0, core_issue_uj = 0, matrix_unit_uj = 0, shared_memory_uj = 0, other_uj = 0;
  std::vector<std::string> notes;  // notes for the reader: EnergyReport::notes()
};

/// Reads stats.json and energy.json in a cell's folder; empty if they are missing.
std::optional<EnergyFigures> read_energy(const std::filesystem::path& folder);

/// A comparison at a size for which both cells are verified and have energies.
struct VerifiedPair {
  std::string design, reference;
  const CellResult *result, *other;
};
std::vector<VerifiedPair> verified_pairs(const std::vector<CellResult>& results,
                                         const std::vector<sweep::DesignPair>& comparisons);

/// The energy ratio of two designs at one size.
struct EnergyRatio {
  std::string size, design, reference, quantity;
  double ratio = 0;                          // of the nominal values
  std::optional<double> all_low, all_high;   // with all table entries at one end of their intervals
};
/// The comparisons at every size for which both cells are verified.
std::vector<EnergyRatio> energy_ratios(const std::vector<CellResult>& results,
                                       const std::vector<sweep::DesignPair>& comparisons);

}  // namespace spica::experiment
