// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace spica::compiler {

/// The compiler of a kernel. kPublished: for re-implementations of published kernels, clang with -Os as in the
/// original; cycles depend on it.
enum class Toolchain : std::uint8_t { kGcc, kClang, kPublished };

/// The default size of shared memory for which kernels are compiled.
inline constexpr std::uint64_t kUsualSharedBytes = 0x10000;

/// The inputs of one program.
struct KernelSources {
  std::filesystem::path source;  // the single C++ file
  std::vector<std::string> defines;  // NAME or NAME=VALUE each
  std::uint64_t shared_bytes =
      kUsualSharedBytes;  // of the machine's shared memory; determines the address of the print buffer
  Toolchain toolchain = Toolchain::kClang;
};

/// The folders of kernel sources, in a build tree or an installed Spica.
struct KernelHome {
  std::filesystem::path root;  // contains sw/
  std::filesystem::path runtime;  // the compiled library: objects.txt and the files it lists
  std::filesystem::path plugin = {};  // for clang and kernels in plain C++; may be missing
  std::filesystem::path opencl_module =
      {};  // the tool for OpenCL C (platform/workloads/opencl); may be missing
};

/// Compiles kernels for a given machine and stores them in a KernelCache, by a hash of all inputs: sources, headers,
/// library, flags, defines, compiler.
///
/// The compilers are found in the PATH: clang-19 with ld.lld-19, riscv64-unknown-elf-gcc; SPICA_GCC, SPICA_CLANG and
/// SPICA_LLD override them. Every file that a compiler reports as read (-MMD) must be part of the hash; otherwise the
/// kernel is refused.
class KernelCompiler {
 public:
  explicit KernelCompiler(KernelHome home);

  /// Returns the ELF file. Throws UserError: a missing compiler, the messages of a compiler that rejects the program, a
  /// folder without write access.
  std::string elf(const KernelSources& sources) const;
  /// A hash of the source, the library, and the headers of both.
  std::string sources_digest(const std::filesystem::path& source) const;
  /// The version texts of compiler and linker; "" if missing. For an existing kernel (`is_there`) only if an
  /// environment variable selects one of them.
  std::string compiler_version(Toolchain toolchain, bool is_there) const;

 private:
  std::vector<std::filesystem::path> sources(const std::filesystem::path& source) const;
  /// A hash of the compiled library for that size of shared memory.
  std::string library_digest(std::uint64_t shared_bytes) const;

  KernelHome home_;
};

}  // namespace spica::compiler
