// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "platform/base/config/field.h"
#include "platform/base/config/problem.h"
#include "platform/base/config/source.h"

namespace spica::config {

/// Writes the values of the source into the parameters behind `root` and returns all problems: the source's own,
/// unknown keys, illegal values, and contradictions between legal values. A key with a problem keeps its default.
/// Throws std::logic_error if a default itself is illegal.
std::vector<Problem> apply_fields(const Source& source, Field& root);

}  // namespace spica::config
