// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "platform/base/json/value.h"
#include "platform/observe/energy/energy_report.h"

namespace spica::energy {

/// Counts and energies of the window by kind of event: [{event, unit, description, calibrated, doubtful,
/// off_chip, count, per_event_pj, active_uj}].
json::Value events_json(const EnergyReport& report);

/// The counts of each block as text of JSON: {cycles, blocks: {name: {action: {count, unit, description}}}}.
std::string activity_json(const power::Activity& activity, const Span& span);

}  // namespace spica::energy
