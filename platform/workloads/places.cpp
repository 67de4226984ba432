// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/places.h"

#include <fmt/format.h>

#include <fstream>

#include "platform/base/input/printable.h"
#include "platform/base/input/user_error.h"
#include "platform/machine/soc/soc_config.h"
#include "platform/workloads/gemm_design.h"

namespace spica::workloads {

namespace fs = std::filesystem;

std::string Places::kernel(const std::string& name) const {
  const fs::path path = kernels / (name + ".elf");
  if (std::string why; !fs::exists(path) && std::getline(std::ifstream(kernels / (name + ".missing")), why))
    throw input::UserError(fmt::format("kernel {} is not built: {}", name, input::printable(why)));
  if (!fs::exists(path))
    throw input::UserError(fmt::format("kernel {} is not built: {} does not exist", name, path.string()));
  return path.string();
}

std::string Places::program(const std::string& given) const {
  std::error_code ignored;
  const bool is_word = !given.empty() && given.find_first_of("./") == std::string::npos;
  if (!is_word || fs::exists(given, ignored)) return given;
  const fs::path path = kernels / (given + ".elf");
  return fs::exists(path, ignored) ? path.string() : given;
}

std::string Places::program(const std::string& given, const soc::SocParams& machine) const {
  std::string path = program(given);
  const fs::path source = home.root / "sw/kernels" / given / "main.cpp";
  std::error_code ignored;
  if (path == given || machine.cluster.shared_memory.size == compiler::kUsualSharedBytes ||
      !fs::exists(source, ignored))
    return path;
  return compiled({source, {}, machine.cluster.shared_memory.size});
}

namespace {

/// Whether the kernel that is there was compiled for machines like this one.
bool is_made_for(const GemmDesign& design, const std::string& config,
                 const std::vector<std::string>& overrides, const soc::SocParams& machine,
                 const fs::path& configs) {
  if (design.kernel.empty()) return false;
  if (design.follows.empty() || (config == design.config && overrides.empty())) return true;
  const auto own = config::read<soc::SocParams>(config::load(design.config, {}, configs));
  return defines_for(design, own) == defines_for(design, machine);
}

}  // namespace

std::string Places::program(const GemmDesign& design, const std::string& config,
                            const std::vector<std::string>& overrides, const soc::SocParams& machine) const {
  if (design.source.empty() || is_made_for(design, config, overrides, machine, configs))
    return design.kernel_file.empty() ? kernel(design.kernel) : design.kernel_file;
  return compiled({design.source_file, defines_for(design, machine), machine.cluster.shared_memory.size,
                   design.toolchain});
}

std::string Places::library(const std::string& given) const {
  std::error_code ignored;
  const fs::path path = configs / "concurrent" / (given + ".json");
  return !fs::exists(given, ignored) && fs::exists(path, ignored) ? path.string() : given;
}

std::string Places::compiled(const compiler::KernelSources& sources) const {
  return compiler::KernelCompiler(home).elf(sources);
}

std::string Places::sources_digest(const std::string& source) const {
  return compiler::KernelCompiler(home).sources_digest(source);
}

std::string Places::compiler_version(compiler::Toolchain toolchain, bool is_there) const {
  return compiler::KernelCompiler(home).compiler_version(toolchain, is_there);
}

}  // namespace spica::workloads
