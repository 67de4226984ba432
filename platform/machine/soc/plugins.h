// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "platform/base/config/problem.h"
#include "platform/base/config/source.h"

namespace spica::soc {

/// Loads the libraries that `plugins` names, as far as this process may (plugin_consent.h): relative to the file that
/// names them, or where the system looks for libraries. What they have as SPICA_BLOCK can be named in slots. Once each.
/// Adds what is wrong with them: that they cannot be loaded, were not allowed, have no block, have a kind that is there
/// already, or were built with another Spica.
void load_plugins(const config::Source& source, std::vector<config::Problem>& problems);

}  // namespace spica::soc
