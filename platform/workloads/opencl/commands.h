// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "platform/workloads/compiler/kernel_compiler.h"
#include "platform/workloads/compiler/tools.h"

namespace spica::opencl {

/// Where a program is linked.
inline constexpr std::uint32_t kFirstBase = 0x8000'0000;

/// The machine and the place for which a program is made.
struct Target {
  std::uint64_t shared_bytes = compiler::kUsualSharedBytes;  // of the machine; address of the print buffer
  std::uint32_t base = kFirstBase;  // where the image of the program begins; a multiple of 4096
};

/// The commands that make programs out of OpenCL C. Each throws UserError for what is missing: clang 19, lld 19, the
/// plugin, the tool and the library that need LLVM 19 and libclc at Spica's build.
class Commands {
 public:
  explicit Commands(const compiler::KernelHome& home);

  /// OpenCL C to bitcode for 32-bit nvptx (platform/workloads/opencl/module).
  compiler::Words front(const std::string& source, const std::vector<std::string>& options,
                        const std::string& bitcode) const;
  /// Several of these to one.
  compiler::Words merge(const std::vector<std::string>& objects, const std::string& bitcode) const;
  /// The same to a module for the machine.
  compiler::Words module(const std::vector<std::string>& objects, const std::string& bitcode) const;
  /// That to a program.
  compiler::Words back(const std::string& bitcode, const Target& target,
                       const std::vector<std::string>& options, const std::string& elf) const;

  /// All files whose change changes programs, other than the source.
  std::vector<std::filesystem::path> files(const Target& target) const;

 private:
  const compiler::KernelHome& home_;
  const std::string clang_, lld_, builtins_;
};

}  // namespace spica::opencl
