// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/matrix_unit/commands.h"
#include "models/matrix_unit/matrix_unit_params.h"
#include "models/protocol/ports/probe_if.h"

namespace spica::matrix_unit {

/// The reads and writes of a unit command, for observers. The result refers to `command`.
protocol::UnitWork work_of(const UnitCommand& command, std::uint32_t id, const MatrixUnitParams& params);

}  // namespace spica::matrix_unit
