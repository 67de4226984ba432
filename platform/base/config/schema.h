// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>

#include "platform/base/config/field.h"

namespace spica::config {

/// Writes a JSON schema (draft 7) of all parameters, for editors and other tools. It describes a single file;
/// contradictions between keys are beyond a schema.
void write_schema(std::ostream& os, const Field& root);

}  // namespace spica::config
