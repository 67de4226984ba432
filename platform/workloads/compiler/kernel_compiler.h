// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace spica::compiler {

/// The compiler of a kernel. kPublished: re-implementations of published kernels, clang with -Os as those were built;
/// cycles depend on it.
enum class Toolchain : std::uint8_t { kGcc, kClang, kPublished };

/// Size of shared memory for which kernels are compiled by default.
inline constexpr std::uint64_t kUsualSharedBytes = 0x10000;

/// One program to make.
struct KernelSources {
  std::filesystem::path source;  // its only file, C++
  std::vector<std::string> defines;  // NAME or NAME=VALUE each
  std::uint64_t shared_bytes =
      kUsualSharedBytes;  // of the machine's shared memory, which decides where the print buffer is
  Toolchain toolchain = Toolchain::kClang;
};

/// Where the parts of kernels are: of a build tree or of an installed Spica.
struct KernelHome {
  std::filesystem::path root;  // has sw/
  std::filesystem::path runtime;  // the compiled library: objects.txt and the files that it names
  std::filesystem::path plugin = {};  // of clang, for kernels in plain C++; need not be there
};

/// Compiles kernels for the machine at hand, and keeps what it has made in a KernelCache, by a hash of all that goes
/// into it: sources, headers, library, flags, defines, compiler.
///
/// The compilers are those of the PATH: clang-19 with ld.lld-19, riscv64-unknown-elf-gcc; SPICA_GCC, SPICA_CLANG and
/// SPICA_LLD name others. What a compiler has read by its own word (-MMD) must be among what the hash is of: a kernel
/// that reads more is refused.
class KernelCompiler {
 public:
  explicit KernelCompiler(KernelHome home);

  /// The ELF file. Throws UserError: a compiler is missing, the text of a compiler that refuses the program, a folder
  /// that cannot be written.
  std::string elf(const KernelSources& sources) const;
  /// A hash of the source, the library, and the headers of both.
  std::string sources_digest(const std::filesystem::path& source) const;
  /// What the compiler and the linker print as their versions; "" where they are missing. Of a kernel that is there
  /// already (`is_there`) only if a variable of the environment names one of them.
  std::string compiler_version(Toolchain toolchain, bool is_there) const;

 private:
  std::vector<std::filesystem::path> sources(const std::filesystem::path& source) const;
  /// A hash of the compiled library for that much shared memory.
  std::string library_digest(std::uint64_t shared_bytes) const;

  KernelHome home_;
};

}  // namespace spica::compiler
