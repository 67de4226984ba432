// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include "platform/base/config/source.h"

namespace spica::soc {

/// The files loaded for `plugins` of a configuration: the libraries, and those that only they need.
std::vector<std::filesystem::path> plugin_files(const config::Source& source);

}  // namespace spica::soc
