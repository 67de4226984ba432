// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "platform/workloads/compiler/kernel_compiler.h"
#include "platform/workloads/opencl/commands.h"

namespace spica::opencl {

/// A header of clCompileProgram(): its name as in #include, relative and without "..".
struct Header {
  std::string name, text;
};

/// A program as a host gives it.
struct Source {
  std::string text;
  std::string name = "program.cl";  // in messages and debug lines; a name without folders
  /// Of clBuildProgram() or clCompileProgram(); relative folders are below the current one.
  std::string options = {};
  std::vector<Header> headers = {};
};

enum class Status : std::uint8_t {
  kSuccess,
  kInvalidOptions,  // the log names them
  kCompileError,  // clang rejects the source
  kLinkError,  // something that Spica does not support, or a function that is missing or defined twice
};

struct Result {
  Status status = Status::kSuccess;
  std::string log;  // what the compiler reported, also on success
  /// An ELF file, or LLVM bitcode of an object or library; in the folder of KernelCache. Empty unless kSuccess.
  std::filesystem::path file;
};

/// Compiles OpenCL C for a machine: clang as a process of its own, the tool in platform/workloads/opencl/module, clang
/// with the plugin. Results are stored in a KernelCache, by a hash of all inputs. A process that takes more
/// processor time than SPICA_OPENCL_BUILD_SECONDS (300) is killed, and the program rejected.
///
/// The kernels of a program are found by loader::kernels_of().
class OpenClCompiler {
 public:
  explicit OpenClCompiler(compiler::KernelHome home) : home_(std::move(home)) {}

  // All of these throw UserError if Spica or a compiler is not installed completely.

  /// clBuildProgram(): an ELF file.
  Result build(const Source& source, const Target& target) const;
  /// clCompileProgram(): an object.
  Result compile(const Source& source) const;
  /// clLinkProgram(): an ELF file, or with -create-library in the options a library, which is linked like an object.
  Result link(const std::vector<std::filesystem::path>& objects, const std::string& options,
              const Target& target) const;

 private:
  compiler::KernelHome home_;
};

}  // namespace spica::opencl
