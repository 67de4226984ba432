// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "platform/base/config/problem.h"
#include "platform/base/config/source.h"

namespace spica::soc {

/// Loads each library named by `plugins` once, if this process may (plugin_consent.h): relative to the file that names
/// it, or as the system finds libraries. Slots can then name its SPICA_BLOCK kinds. Adds problems: cannot be loaded,
/// not allowed, contains no block, a kind that exists already, built with another Spica.
void load_plugins(const config::Source& source, std::vector<config::Problem>& problems);

}  // namespace spica::soc
