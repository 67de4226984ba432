// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/energy/energy_report.h"
#include "platform/json/value.h"
#include "platform/loader/program.h"
#include "platform/loader/source_map.h"

namespace spica::energy {

/// The whole report as one document; docs/power.md has the schema.
json::Value energy_json(const EnergyReport& report, const loader::SourceMap& sources,
                        const loader::Program& program);

}  // namespace spica::energy
