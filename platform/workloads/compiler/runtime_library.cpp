// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/compiler/runtime_library.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "platform/base/input/environment.h"
#include "platform/base/input/printable.h"
#include "platform/base/input/user_error.h"
#include "platform/workloads/compiler/find_tool.h"

namespace spica::compiler {

namespace fs = std::filesystem;
using input::UserError;

std::string clang_for_plugin(const KernelHome& home) {
  std::string clang = find_tool("SPICA_CLANG", "clang-19", "clang-19");
  if (!fs::exists(home.plugin))
    throw UserError(
        "kernels in plain C++ need the compiler's plugin, which was not built with this Spica: apt install "
        "llvm-19-dev and build again. --compiler gcc supports kernels with the macros of simt.h");
  if (!input::variable("SPICA_CLANG").empty() &&
      run(fs::current_path(), {clang, "-dumpversion"}).output.rfind("19.", 0) != 0)
    throw UserError(fmt::format(
        "the compiler plugin needs clang 19, but {} (environment variable SPICA_CLANG) is another version",
        input::printable(clang)));
  return clang;
}

Words library_of(const KernelHome& home, const std::string& shared_size) {
  const std::string sized = "lib_" + shared_size;
  if (!fs::is_directory(home.runtime / sized)) {
    Words sizes;
    for (const fs::directory_entry& entry : fs::directory_iterator(home.runtime))
      if (const std::string name = entry.path().filename().string(); name.rfind("lib_", 0) == 0)
        sizes.push_back(name.substr(4));
    std::sort(sizes.begin(), sizes.end(), [](const std::string& a, const std::string& b) {
      return std::make_pair(a.size(), a) < std::make_pair(b.size(), b);
    });
    throw UserError(
        fmt::format("there is no library for {} bytes of shared memory (PLATFORM_SHARED_SIZE), only for {}",
                    input::printable(shared_size), fmt::join(sizes, ", ")));
  }
  Words objects;
  for (std::string name : words_of(home.runtime / "objects.txt")) {
    if (name.rfind("lib_@/", 0) == 0) name = sized + name.substr(5);
    objects.push_back((home.runtime / name).string());
  }
  return objects;
}

void add_library(Words& words, const KernelHome& home, const std::string& shared_size) {
  words.push_back("@" + (home.root / "sw/plain.flags").string());
  for (const char* object : {"one_by_one.S.o", "snprintf.cpp.o"})
    words.push_back((home.runtime / "plain" / object).string());
  words.push_back("-L" + (home.runtime / "lib").string());  // for -lm
  const Words library = library_of(home, shared_size);
  words.insert(words.end(), library.begin(), library.end());
}

}  // namespace spica::compiler
