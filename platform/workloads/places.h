// SPDX-License-Identifier: Apache-2.0
// Finds files named in options: the user's own, and those that come with Spica.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "platform/workloads/compiler/kernel_compiler.h"

namespace spica::soc {
struct SocParams;
}

namespace spica::workloads {

struct GemmDesign;

struct Places {
  std::filesystem::path configs;  // configurations, by name
  std::filesystem::path kernels;  // ELF files that come with Spica: hello.elf
  compiler::KernelHome home;      // the sources of kernels
  std::filesystem::path executable = {};  // of this Spica
  std::filesystem::path opencl_driver = {};  // libspica-opencl.so.1; empty: this Spica has none

  /// The ELF file of a kernel that comes with Spica. Throws UserError if it is missing.
  std::string kernel(const std::string& name) const;
  /// The program that a user names: a file or, if it does not exist, a kernel with that name that comes with Spica.
  std::string program(const std::string& given) const;
  /// The same for a machine: a kernel of Spica that was compiled for another size of shared memory is compiled for this
  /// one.
  std::string program(const std::string& given, const soc::SocParams& machine) const;
  /// The program of a design for `machine`, which is `config` with `overrides`: the existing one if it was compiled for
  /// such a machine, else it is compiled now. Throws UserError.
  std::string program(const GemmDesign& design, const std::string& config,
                      const std::vector<std::string>& overrides, const soc::SocParams& machine) const;
  /// A kernel library or concurrency model that a user names: a file or, if it does not exist, one that comes with
  /// Spica.
  std::string library(const std::string& given) const;
  /// The ELF file compiled from these sources. Throws UserError.
  std::string compiled(const compiler::KernelSources& sources) const;
  /// A hash of all inputs from which the kernel of a source file is compiled.
  std::string sources_digest(const std::string& source) const;
  /// The version of the compiler of a kernel, see compiler::KernelCompiler::compiler_version().
  std::string compiler_version(compiler::Toolchain toolchain, bool is_there) const;
};

}  // namespace spica::workloads
