// SPDX-License-Identifier: Apache-2.0
// What stats.json has of a run in addition to its statistics, so that a report needs nothing else.
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

/// Multiply-adds of the units that did the most of them, as a share of those possible in `cycles`; nothing: no
/// unit did any.
std::optional<double> busiest_units(soc::MeasuredMachine& soc, std::uint64_t cycles);

/// {name, base, differences: [{key, unit, base, value, place}]}: every value in effect that is another one
/// than in the configuration `virgo`, the machine of the paper. null where one of them has no such key.
json::Value configuration_json(const soc::SocParams& params, const config::Source& source,
                               const std::filesystem::path& configs_dir);

}  // namespace spica::job
