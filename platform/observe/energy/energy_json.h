// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "platform/base/json/value.h"
#include "platform/machine/loader/program.h"
#include "platform/machine/loader/source_map.h"
#include "platform/observe/energy/energy_report.h"

namespace spica::energy {

/// The whole report as one document; docs/power.md describes it. `multiply_adds`: of the program, if known.
json::Value energy_json(const EnergyReport& report, const loader::SourceMap& sources,
                        const loader::Program& program, std::optional<std::uint64_t> multiply_adds);

}  // namespace spica::energy
