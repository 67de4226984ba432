// SPDX-License-Identifier: Apache-2.0
#include "platform/cli/paths.h"

#include <fmt/format.h>

#include <cstdlib>

#include "platform/loader/user_error.h"

namespace spica::cli {

namespace fs = std::filesystem;

namespace {
/// <build>/platform/cli/spica -> <build>
fs::path build_dir() { return fs::read_symlink("/proc/self/exe").parent_path().parent_path().parent_path(); }
}  // namespace

fs::path root() {
  if (const char* given = std::getenv("SPICA_ROOT")) return given;
  return SPICA_SOURCE_DIR;
}

fs::path configs_dir() { return root() / "configs"; }

std::string kernel_path(const std::string& name) {
  const fs::path path = build_dir() / "sw" / (name + ".elf");
  if (!fs::exists(path))
    throw loader::UserError(fmt::format("kernel {} is not built: {} does not exist", name, path.string()));
  return path.string();
}

}  // namespace spica::cli
