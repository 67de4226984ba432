// SPDX-License-Identifier: Apache-2.0
// The data of a run in stats.json in addition to its statistics, which make reports self-contained.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "platform/base/config/config.h"
#include "platform/base/json/value.h"

namespace spica::loader {
struct Program;
}
namespace spica::session {
struct GridRequest;
}
namespace spica::soc {
class MeasuredMachine;
struct SocParams;
}  // namespace spica::soc

namespace spica::job {

/// The machine's limits: {clock_mhz, units: [{name, macs_per_cycle, macs}], l2_bytes_per_cycle,
/// dram_bytes_per_cycle, bank_words_per_cycle}. `macs` are those of the timed region.
json::Value machine_json(soc::MeasuredMachine& soc);

/// The work groups of a run, and how many of them the machine holds at once.
struct Waves {
  std::uint64_t groups = 0, at_once = 0;

  double count() const { return static_cast<double>(groups) / static_cast<double>(at_once); }
  /// The share of the rounds' places that have a work group: below 1 by the tail of the last round.
  double filled() const {
    const std::uint64_t rounds = (groups + at_once - 1) / at_once;
    return count() / static_cast<double>(rounds);
  }
};
/// Empty: the run has no grid of work groups.
std::optional<Waves> waves_of(const session::GridRequest& grid, const loader::Program& program,
                              const soc::SocParams& params);

/// The ways from the clusters to memory: {clusters, ports, slices, hash, channels, warm}. null: the machine has a bus.
json::Value network_json(const soc::SocParams& params);

/// Multiply-adds of the kind of unit with the most of them, relative to its peak in `cycles`; empty: no unit had any.
std::optional<double> busiest_units(soc::MeasuredMachine& soc, std::uint64_t cycles);

/// {name, base, differences: [{key, unit, base, value, place}]}: all values in effect that differ from the
/// configuration `virgo`, the machine of the paper. null for a key that one of them does not have.
json::Value configuration_json(const soc::SocParams& params, const config::Source& source,
                               const std::filesystem::path& configs_dir);

}  // namespace spica::job
