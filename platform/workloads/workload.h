// SPDX-License-Identifier: Apache-2.0
// What a run can be of: a matrix product, attention, products at once, a program of the user's.
//
// A workload declares its options once, as a block declares its parameters. The command line, the axes of sweeps, the keys of
// points, the schema and the reference follow from this declaration.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "platform/base/config/field.h"
#include "platform/workloads/compiler/kernel_compiler.h"

namespace spica::soc {
struct SocParams;
}

namespace spica::workloads {

/// Where what options name is found.
struct Places {
  std::filesystem::path configs;
  /// The ELF file of a kernel that comes with Spica. Throws UserError.
  std::function<std::string(const std::string& name)> kernel;
  /// The program, library of kernels or concurrency model that a user names: a file, or one that comes with Spica.
  std::function<std::string(const std::string& given)> program, library;
  /// A hash of all that the kernel of a source file is compiled from.
  std::function<std::string(const std::string& source)> sources_digest;
  /// The version of the compiler of a kernel, compiler::KernelCompiler::compiler_version().
  std::function<std::string(compiler::Toolchain toolchain, bool is_there)> compiler_version;
};

/// What results depend on, apart from the values of options and machine.
struct Dependencies {
  std::vector<std::string> facts;  // name=value
  std::vector<std::pair<std::string, std::string>>
      files;  // names of facts, and files whose contents they are
};

class Workload {
 public:
  virtual ~Workload() = default;

  /// Its options, one group; they refer to this workload.
  virtual config::Field options() = 0;
  /// The configuration of its machine; empty: the user must say it. Throws ConfigError and UserError.
  virtual std::string machine() const = 0;
  /// It follows from the options that name files and, where it asks for it, from the machine. Throws ConfigError and UserError.
  virtual Dependencies depends_on(const std::function<soc::SocParams()>& machine) const = 0;
  /// Checks what needs no machine. Throws UserError and ConfigError.
  virtual void check_options() const {}
};

/// One kind of workload.
struct Kind {
  std::string_view name;  // of its command
  std::string_view title;
  std::unique_ptr<Workload> (*make)(const Places& places);
  bool is_own = false;  // a program of the user's, which has arguments and no random operands
};

/// All of them, in the order in which documents show them.
const std::vector<Kind>& kinds();
/// Throws std::logic_error when there is none of that name.
const Kind& kind(std::string_view name);

/// The option of that name; nullptr: there is none.
config::Field* find_option(config::Field& options, std::string_view name);

}  // namespace spica::workloads
