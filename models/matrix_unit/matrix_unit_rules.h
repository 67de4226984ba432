// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/protocol/unit_rules.h"

namespace spica::matrix_unit {

/// What checks of programs know of matrix units.
const protocol::UnitRules& matrix_unit_rules();

}  // namespace spica::matrix_unit
