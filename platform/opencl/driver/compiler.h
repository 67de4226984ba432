// SPDX-License-Identifier: Apache-2.0
// What the driver needs of a compiler for OpenCL C.
#pragma once

#include <CL/cl.h>

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace spica::opencl {

/// A parameter of a kernel.
struct KernelArgument {
  std::string name, type;  // as in the source: "float*"
  cl_kernel_arg_address_qualifier space = CL_KERNEL_ARG_ADDRESS_PRIVATE;
  cl_kernel_arg_access_qualifier access = CL_KERNEL_ARG_ACCESS_NONE;
  cl_kernel_arg_type_qualifier qualifiers = CL_KERNEL_ARG_TYPE_NONE;
  std::uint32_t offset = 0, bytes = 0;  // in the argument block, head included
};

/// A kernel of a program.
struct KernelDescription {
  std::string name;
  std::vector<KernelArgument> arguments;
  std::array<std::uint32_t, 3> required_local{};  // reqd_work_group_size; 0: none
  std::uint32_t local_bytes = 0;  // __local variables, per work group
  std::uint32_t private_bytes = 0;  // stack, per work item
  std::string attributes;  // as CL_KERNEL_ATTRIBUTES
};

/// What clCompileProgram gets: text by the name in #include.
using Headers = std::vector<std::pair<std::string, std::string>>;

/// Result of a compilation or a link.
struct BuildResult {
  cl_int status = CL_BUILD_PROGRAM_FAILURE;  // CL_SUCCESS, CL_INVALID_BUILD_OPTIONS, CL_BUILD_PROGRAM_FAILURE
  std::string log;  // messages of the compiler
  std::string code;  // of compile() and combine(): position independent; of link(): an ELF file
  std::uint64_t image_bytes = 0;  // from the base to the end of an executable's image
  std::vector<KernelDescription> kernels;  // of an executable
};

/// Compiles for one configuration of the machine. Thread-safe. Throws std::exception if the installation is
/// incomplete.
class Compiler {
 public:
  virtual ~Compiler() = default;

  /// Translates a source. `options` are those of clBuildProgram or clCompileProgram.
  virtual BuildResult compile(const std::string& source, const std::string& options,
                              const Headers& headers) = 0;
  /// Makes one library of the results of compile() and combine().
  virtual BuildResult combine(const std::vector<std::string>& codes, const std::string& options) = 0;
  /// Makes an executable whose image begins at the address `base`.
  virtual BuildResult link(const std::vector<std::string>& codes, const std::string& options,
                           std::uint32_t base) = 0;
};

}  // namespace spica::opencl
