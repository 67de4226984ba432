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

/// What a cell's run says about its energy, between the markers.
struct EnergyFigures {
  std::uint64_t warp_instructions = 0, register_file_accesses = 0;
  double active_power_mw = 0, active_energy_uj = 0, dram_uj = 0;
  /// With idle power and DRAM.
  double total_power_mw = 0, total_energy_uj = 0, edp_uj_us = 0;
  std::optional<double> pj_per_mac;
  power::Interval active_uj;
  /// Parts of active_energy_uj. A tensor core counts as matrix unit, not as core.
  double core_uj = 0, core_issue_uj = 0, matrix_unit_uj = 0, shared_memory_uj = 0, other_uj = 0;
  std::vector<std::string> notes;  // what a reader must know: EnergyReport::notes()
};

/// From stats.json and energy.json in a cell's folder; nothing when they are not there.
std::optional<EnergyFigures> read_energy(const std::filesystem::path& folder);

/// A comparison at a size of which both cells are verified and have energies.
struct VerifiedPair {
  std::string design, reference;
  const CellResult *result, *other;
};
std::vector<VerifiedPair> verified_pairs(const std::vector<CellResult>& results,
                                         const std::vector<sweep::DesignPair>& comparisons);

/// Two designs at one size, as one divided by the other.
struct EnergyRatio {
  std::string size, design, reference, quantity;
  double ratio = 0;                          // of nominal values
  std::optional<double> all_low, all_high;   // with the whole table at one end of its intervals
};
/// The comparisons at every size of which both cells are verified.
std::vector<EnergyRatio> energy_ratios(const std::vector<CellResult>& results,
                                       const std::vector<sweep::DesignPair>& comparisons);

}  // namespace spica::experiment
