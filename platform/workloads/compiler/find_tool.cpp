// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/compiler/find_tool.h"

#include <fmt/format.h>

#include <unistd.h>

#include <cstdlib>
#include <sstream>
#include <vector>

#include "platform/base/input/environment.h"
#include "platform/base/input/printable.h"
#include "platform/base/input/user_error.h"
#include "platform/base/text/pattern.h"
#include "platform/workloads/compiler/tools.h"

namespace spica::compiler {

namespace fs = std::filesystem;

namespace {

using Folders = std::vector<fs::path>;

Folders folders_of_path() {
  const char* path = std::getenv("PATH");
  std::istringstream in(path != nullptr ? path : "");
  Folders folders;
  for (std::string folder; std::getline(in, folder, ':');) folders.emplace_back(folder);
  return folders;
}

/// "" when it is in none of them.
std::string first_in(const Folders& folders, const std::string& name) {
  for (const fs::path& folder : folders) {
    const fs::path file = fs::absolute(folder / name);
    if (access(file.c_str(), X_OK) == 0) return file.string();
  }
  return {};
}

/// The major version that a program of LLVM prints; "" when it prints none.
std::string major_version_of(const std::string& program) {
  static const text::Pattern version(R"(\b(\d+)\.\d+\.\d+)");
  const std::string output = run(fs::current_path(), {program, "--version"}).output;
  const auto found = version.search(output);
  return found ? found->at(1) : std::string();
}

struct Found {
  std::string program;
  std::string other;  // without a program: one of another version, in words
};

/// Fedora and Arch have "clang", of one version or the other, and folders of older ones.
Found without_suffix(const std::string& stem, const std::string& version, const fs::path& system) {
  Folders folders = folders_of_path();
  for (const char* folder : {"usr/lib64/llvm{}/bin", "usr/lib/llvm{}/bin", "usr/lib/llvm-{}/bin"})
    folders.push_back(system / fmt::format(fmt::runtime(folder), version));
  Found found;
  for (const fs::path& folder : folders) {
    const std::string program = first_in({folder}, stem);
    if (program.empty()) continue;
    const std::string its = major_version_of(program);
    if (its == version) return {program, {}};
    if (found.other.empty())
      found.other =
          fmt::format(" ({} is version {})", input::printable(program), its.empty() ? "unknown" : its);
  }
  return found;
}

}  // namespace

std::string find_tool(const char* variable, const std::string& name, const std::string& package,
                      const fs::path& system) {
  const std::string given = input::variable(variable);
  const std::string wanted = given.empty() ? name : given;
  const bool is_path = wanted.find('/') != std::string::npos;
  Found found{first_in(is_path ? Folders{"."} : folders_of_path(), wanted), {}};
  static const text::Pattern with_version(R"((.*)-(\d+))");
  if (found.program.empty() && given.empty())
    if (const auto parts = with_version.match(name))
      found = without_suffix(parts->at(1), parts->at(2), system);
  if (!found.program.empty()) return found.program;
  throw input::UserError(fmt::format(
      "the kernel must be compiled for this machine, and {} is missing{}: apt install {}, or name "
      "another one in the environment variable {}",
      input::printable(wanted), found.other, package, variable));
}

}  // namespace spica::compiler
