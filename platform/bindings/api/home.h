// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace spica::api {

/// Where configurations and kernels are. Empty paths when there are none.
struct Home {
  std::filesystem::path configs, kernels;
};
/// `place` is <prefix>/share/spica, or <prefix>/include/spica/spica.h as __FILE__ names it; a build tree has the same.
Home find_home(const char* place);

/// A file as named, or the shipped kernel of that name. Throws UserError.
std::string find_program(const Home& home, const std::string& name);

}  // namespace spica::api
