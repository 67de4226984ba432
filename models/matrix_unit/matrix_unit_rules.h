// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/protocol/ports/unit_rules.h"

namespace spica::matrix_unit {

/// The rules of matrix units for checks of programs.
const protocol::UnitRules& matrix_unit_rules();

}  // namespace spica::matrix_unit
