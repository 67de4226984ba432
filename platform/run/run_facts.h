// SPDX-License-Identifier: Apache-2.0
// The data of a run in stats.json in addition to its statistics, which make reports self-contained.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "platform/base/config/config.h"
#include "platform/base/json/value.h"

namespace spica::soc {
class MeasuredMachine;
struct SocParams;
}  // namespace spica::soc

namespace spica::job {

/// The machine's limits: {clock_mhz, units: [{name, macs_per_cycle, macs}], l2_bytes_per_cycle,
/// dram_bytes_per_cycle, bank_words_per_cycle}. `macs` are those of the timed region.
json::Value machine_json(soc::MeasuredMachine& soc);

/// Multiply-adds of the kind of unit with the most of them, relative to its peak in `cycles`; empty: no unit had any.
std::optional<double> busiest_units(soc::MeasuredMachine& soc, std::uint64_t cycles);

/// {name, base, differences: [{key, unit, base, value, place}]}: all values in effect that differ from the
/// configuration `virgo`, the machine of the paper. null for a key that one of them does not have.
json::Value configuration_json(const soc::SocParams& params, const config::Source& source,
                               const std::filesystem::path& configs_dir);

}  // namespace spica::job
