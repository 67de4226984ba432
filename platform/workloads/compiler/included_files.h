// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

namespace spica::compiler {

/// The files that a C++ or assembly source may include, directly or through others, the source among them. Conditions
/// are not evaluated, so these are at least those that a compiler reads; headers of the compiler itself are not among
/// them. `folders` are searched as the compiler does, behind the folder of the including file. A header whose name a
/// macro makes that is defined elsewhere: all headers below the folder of its source.
std::vector<std::filesystem::path> included_files(const std::filesystem::path& source,
                                                  const std::vector<std::filesystem::path>& folders);

/// What a compiler has read, of the rule that its option -MMD writes ("main.o: main.cpp a.h \\\n b.h"). Headers of the
/// compiler itself are not among them.
std::vector<std::filesystem::path> files_of_rule(const std::string& rule);

}  // namespace spica::compiler
