// SPDX-License-Identifier: Apache-2.0
#include "platform/cli/paths.h"

#include <fmt/format.h>

#include <cstdlib>
#include <fstream>

#include "platform/input/printable.h"
#include "platform/loader/user_error.h"

namespace spica::cli {

namespace fs = std::filesystem;

namespace {

/// <prefix>/bin/spica or <build>/platform/cli/spica
fs::path program() { return fs::read_symlink("/proc/self/exe"); }

/// <prefix>/share/spica where this program is an installed one, else empty.
fs::path installed() {
  const fs::path share = (program().parent_path() / SPICA_SHARE_FROM_PROGRAM).lexically_normal();
  std::error_code ignored;
  return fs::is_directory(share / "configs", ignored) ? share : fs::path();
}

}  // namespace

fs::path root() {
  if (const char* given = std::getenv("SPICA_ROOT")) return given;
  const fs::path share = installed();
  return share.empty() ? fs::path(SPICA_SOURCE_DIR) : share;
}

fs::path configs_dir() { return root() / "configs"; }

std::vector<std::string> names_in_order(const config::FileKind& kind) {
  std::vector<std::string> names;
  for (config::Entry& entry : config::entries(configs_dir(), kind)) names.push_back(std::move(entry.name));
  return names;
}

std::string kernel_path(const std::string& name) {
  const fs::path share = installed();
  const fs::path folder =
      share.empty() ? program().parent_path().parent_path().parent_path() / "sw" : share / "kernels";
  const fs::path path = folder / (name + ".elf");
  if (std::string why; !fs::exists(path) && std::getline(std::ifstream(folder / (name + ".missing")), why))
    throw loader::UserError(fmt::format("kernel {} is not built: {}", name, input::printable(why)));
  if (!fs::exists(path))
    throw loader::UserError(fmt::format("kernel {} is not built: {} does not exist", name, path.string()));
  return path.string();
}

}  // namespace spica::cli
