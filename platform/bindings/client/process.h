// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "platform/bindings/client/machine_impl.h"

namespace spica::client {

/// The program `spica` of a package: SPICA_PROGRAM, else that of `place`, which is <prefix>/share/spica or
/// <prefix>/include/spica/spica.h. Throws Error.
std::string program_of(const char* place);

/// A machine in a process of its own, that ends with it: `spica serve`. `allow_plugins`: libraries of blocks that the
/// configuration names may be loaded; else the environment decides. Throws Error.
std::unique_ptr<Machine::Impl> start(const std::string& program, const std::string& configuration,
                                     const std::vector<std::string>& overrides, bool allow_plugins = false);

}  // namespace spica::client
