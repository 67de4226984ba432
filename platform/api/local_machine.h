// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "platform/client/machine_impl.h"

namespace spica::soc {
struct SocParams;
}

namespace spica::api {

/// Where a machine looks for what is named.
struct Places {
  std::filesystem::path configs;
  /// The file of a program that a user names, for a machine. Throws UserError.
  std::function<std::string(const std::string& given, const soc::SocParams& params)> program;
};

/// A machine in this process. Throws Error.
std::unique_ptr<Machine::Impl> make_local(const std::string& configuration,
                                          const std::vector<std::string>& overrides, Places places);

}  // namespace spica::api
