// SPDX-License-Identifier: Apache-2.0
#include "platform/cli/paths.h"

#include <cstdlib>

#include "platform/base/input/environment.h"
#include "platform/run/fork_server.h"

namespace spica::cli {

namespace fs = std::filesystem;

namespace {

/// <prefix>/share/spica where this program is an installed one, else empty.
const fs::path& installed() {
  static const fs::path found = [] {
    fs::path share = (program_file().parent_path() / SPICA_SHARE_FROM_PROGRAM).lexically_normal();
    std::error_code ignored;
    return fs::is_directory(share / "configs", ignored) ? share : fs::path();
  }();
  return found;
}

/// The driver of this installation; empty: there is none.
fs::path opencl_driver() {
  const fs::path name = "libspica-opencl.so.1", here = program_file().parent_path();
  for (const fs::path& folder :
       {cmake_prefix() / "opencl", (here / SPICA_LIBRARIES_FROM_PROGRAM).lexically_normal()}) {
    std::error_code ignored;
    if (fs::exists(folder / name, ignored)) return folder / name;
  }
  return {};
}

}  // namespace

const fs::path& program_file() {
  static const fs::path file = fs::read_symlink("/proc/self/exe");
  return file;
}

fs::path cmake_prefix() {
  const fs::path above = program_file().parent_path().parent_path();
  return installed().empty() ? above.parent_path() : above;
}

fs::path root() {
  if (fs::path given = input::variable("SPICA_ROOT"); !given.empty()) return given;
  const fs::path& share = installed();
  return share.empty() ? fs::path(SPICA_SOURCE_DIR) : share;
}

fs::path configs_dir() { return root() / "configs"; }

void work_in(const fs::path& folder) {
  if (const fs::path given = input::variable("SPICA_ROOT"); !given.empty())
    setenv("SPICA_ROOT", fs::absolute(given).c_str(),
           1);  // NOLINT(concurrency-mt-unsafe): before the first thread
  fs::current_path(folder);
}

void serve_children() {
  config::keep_parsed(configs_dir());
  job::ForkServer::launch();
}

workloads::Places places() {
  const fs::path& share = installed();
  return {configs_dir(), share.empty() ? cmake_prefix() / "sw" : share / "kernels", kernel_home(),
          program_file(), opencl_driver()};
}

std::vector<std::string> names_in_order(const config::FileKind& kind) {
  std::vector<std::string> names;
  for (config::Entry& entry : config::entries(configs_dir(), kind)) names.push_back(std::move(entry.name));
  return names;
}

compiler::KernelHome kernel_home() {
  const fs::path &share = installed(), plugin = "spica_lanes.so", module = "spica-opencl-module";
  if (!share.empty()) {
    const fs::path plugins = (program_file().parent_path() / SPICA_PLUGINS_FROM_PROGRAM).lexically_normal();
    return {share, share / "runtime", plugins / plugin, plugins / module};
  }
  const fs::path build = cmake_prefix();
  return {fs::absolute(root()).lexically_normal(), build / "sw/objects",
          build / "platform/workloads/compiler/plugin" / plugin,
          build / "platform/workloads/opencl/module" / module};
}

}  // namespace spica::cli
