// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "platform/bindings/client/machine_impl.h"

namespace spica::client {

/// The path of the program `spica` of a package: SPICA_PROGRAM, else derived from `place`, which is
/// <prefix>/share/spica or <prefix>/include/spica/spica.h. Throws Error.
std::string program_of(const char* place);

/// The absolute path of a file, for another process; other names unchanged.
std::string absolute(const std::string& file);

/// Starts a machine in a process of its own (`spica serve`), which ends with the machine. `allow_plugins`: block
/// libraries named by the configuration may be loaded; if false, the environment decides. Throws Error.
std::unique_ptr<Machine::Impl> start(const std::string& program, const std::string& configuration,
                                     const std::vector<std::string>& overrides, bool allow_plugins = false);

}  // namespace spica::client
