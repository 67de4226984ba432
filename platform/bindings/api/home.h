// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace spica::api {

/// The paths of configurations and kernels; empty if there are none.
struct Home {
  std::filesystem::path configs, kernels;
};
/// `place`: <prefix>/share/spica, or the path of <prefix>/include/spica/spica.h as in __FILE__; a build tree has the
/// same structure.
Home find_home(const char* place);

/// A file by path, or a shipped kernel by name. Throws UserError.
std::string find_program(const Home& home, const std::string& name);

}  // namespace spica::api
