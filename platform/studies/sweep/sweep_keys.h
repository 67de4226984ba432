// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "platform/base/config/listing.h"

namespace spica::sweep {

/// The keys of a sweep file, those of groups as "limits.cycles", in the order of the documentation.
std::vector<config::ParameterInfo> sweep_keys();
/// "gemm, attention, run, concurrent"
std::string names_of_jobs();
/// The names of the keys of a group; "": of the file itself.
std::vector<std::string> keys_of(const std::string& group);
/// Writes a JSON schema (draft 7) of a sweep file, for editors.
void write_sweep_schema(std::ostream& os);

}  // namespace spica::sweep
