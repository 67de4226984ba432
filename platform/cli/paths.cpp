// SPDX-License-Identifier: Apache-2.0
#include "platform/cli/paths.h"

#include <fmt/format.h>

#include <cstdlib>
#include <fstream>

#include "platform/base/input/environment.h"
#include "platform/base/input/printable.h"
#include "platform/machine/loader/user_error.h"
#include "platform/machine/soc/soc_config.h"
#include "platform/run/fork_server.h"

namespace spica::cli {

namespace fs = std::filesystem;

namespace {

/// <prefix>/share/spica where this program is an installed one, else empty.
fs::path installed() {
  const fs::path share = (program_file().parent_path() / SPICA_SHARE_FROM_PROGRAM).lexically_normal();
  std::error_code ignored;
  return fs::is_directory(share / "configs", ignored) ? share : fs::path();
}

}  // namespace

fs::path program_file() { return fs::read_symlink("/proc/self/exe"); }

fs::path cmake_prefix() {
  const fs::path above = program_file().parent_path().parent_path();
  return installed().empty() ? above.parent_path() : above;
}

fs::path root() {
  if (fs::path given = input::variable("SPICA_ROOT"); !given.empty()) return given;
  const fs::path share = installed();
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
  return {configs_dir(),
          kernel_path,
          program_path,
          library_path,
          [](const std::string& source) {
            return compiler::KernelCompiler(kernel_home()).sources_digest(source);
          },
          [](compiler::Toolchain toolchain, bool is_there) {
            return compiler::KernelCompiler(kernel_home()).compiler_version(toolchain, is_there);
          }};
}

std::vector<std::string> names_in_order(const config::FileKind& kind) {
  std::vector<std::string> names;
  for (config::Entry& entry : config::entries(configs_dir(), kind)) names.push_back(std::move(entry.name));
  return names;
}

compiler::KernelHome kernel_home() {
  const fs::path share = installed(), plugin = "spica_lanes.so";
  if (!share.empty()) {
    const fs::path plugins = (program_file().parent_path() / SPICA_PLUGINS_FROM_PROGRAM).lexically_normal();
    return {share, share / "runtime", plugins / plugin};
  }
  const fs::path build = cmake_prefix();
  return {fs::absolute(root()).lexically_normal(), build / "sw/objects",
          build / "platform/workloads/compiler/plugin" / plugin};
}

namespace {

/// Where kernels of the platform are.
fs::path kernels_folder() {
  const fs::path share = installed();
  return share.empty() ? cmake_prefix() / "sw" : share / "kernels";
}

/// Whether the kernel that is there was compiled for machines like this one.
bool is_made_for(const workloads::GemmDesign& design, const std::string& config,
                 const std::vector<std::string>& overrides, const soc::SocParams& params) {
  if (design.kernel.empty()) return false;
  if (design.follows.empty() || (config == design.config && overrides.empty())) return true;
  const auto own = config::read<soc::SocParams>(config::load(design.config, {}, configs_dir()));
  return workloads::defines_for(design, own) == workloads::defines_for(design, params);
}

}  // namespace

std::string program_of(const workloads::GemmDesign& design, const std::string& config,
                       const std::vector<std::string>& overrides, const soc::SocParams& params) {
  if (design.source.empty() || is_made_for(design, config, overrides, params))
    return design.kernel_file.empty() ? kernel_path(design.kernel) : design.kernel_file;
  return compiler::KernelCompiler(kernel_home())
      .elf({design.source_file, workloads::defines_for(design, params), params.cluster.shared_memory.size,
            design.toolchain});
}

std::string program_for(const std::string& given, const soc::SocParams& params) {
  std::string path = program_path(given);
  const fs::path source = kernel_home().root / "sw/kernels" / given;
  std::error_code ignored;
  if (path == given || params.cluster.shared_memory.size == compiler::kUsualSharedBytes ||
      !fs::exists(source / "main.cpp", ignored))
    return path;
  return compiler::KernelCompiler(kernel_home())
      .elf({source / "main.cpp", {}, params.cluster.shared_memory.size});
}

std::string program_path(const std::string& given) {
  std::error_code ignored;
  const bool is_word = !given.empty() && given.find_first_of("./") == std::string::npos;
  if (!is_word || fs::exists(given, ignored)) return given;
  const fs::path path = kernels_folder() / (given + ".elf");
  return fs::exists(path, ignored) ? path.string() : given;
}

std::string library_path(const std::string& given) {
  std::error_code ignored;
  const fs::path path = configs_dir() / "concurrent" / (given + ".json");
  return !fs::exists(given, ignored) && fs::exists(path, ignored) ? path.string() : given;
}

std::string kernel_path(const std::string& name) {
  const fs::path folder = kernels_folder();
  const fs::path path = folder / (name + ".elf");
  if (std::string why; !fs::exists(path) && std::getline(std::ifstream(folder / (name + ".missing")), why))
    throw loader::UserError(fmt::format("kernel {} is not built: {}", name, input::printable(why)));
  if (!fs::exists(path))
    throw loader::UserError(fmt::format("kernel {} is not built: {} does not exist", name, path.string()));
  return path.string();
}

}  // namespace spica::cli
