// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

namespace spica::compiler {

/// The files that a C++ or assembly source may include, directly or indirectly, with the source itself. Conditions are
/// not evaluated, so this is a superset of what a compiler reads, except for the compiler's own headers. `folders` are
/// searched like include folders, after the folder of the including file. If a macro that is defined elsewhere makes a
/// header's name, all headers below the folder of the source are included.
std::vector<std::filesystem::path> included_files(const std::filesystem::path& source,
                                                  const std::vector<std::filesystem::path>& folders);

/// The files in a dependency rule written by a compiler with -MMD ("main.o: main.cpp a.h \\\n b.h"), without the
/// compiler's own headers.
std::vector<std::filesystem::path> files_of_rule(const std::string& rule);

}  // namespace spica::compiler
