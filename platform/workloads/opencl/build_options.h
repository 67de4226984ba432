// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace spica::opencl {

/// The options of clBuildProgram(), clCompileProgram() or clLinkProgram(), taken apart.
struct BuildOptions {
  std::vector<std::string> compiler;  // for clang, in order; folders of -I are absolute
  std::vector<std::filesystem::path> folders;  // of -I
  bool makes_library = false;  // -create-library
  std::vector<std::string> unknown;  // not allowed
};

/// The words of a text of options: blanks separate, quotes and backslashes keep them.
std::vector<std::string> words_of_options(const std::string& text);

/// Options that the OpenCL specification has, and clang's -W and -O: what they mean does not depend on the host.
/// Options without a meaning here (-cl-opt-disable, ...) are left out. Relative folders of -I are below `folder`.
BuildOptions parse_options(const std::vector<std::string>& words, const std::filesystem::path& folder);

}  // namespace spica::opencl
