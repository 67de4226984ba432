// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/opencl/commands.h"

#include <fmt/format.h>

#include "platform/base/input/user_error.h"
#include "platform/workloads/compiler/find_tool.h"
#include "platform/workloads/compiler/runtime_library.h"

namespace spica::opencl {

namespace fs = std::filesystem;
using compiler::Words;

namespace {

std::string checked_builtins(const compiler::KernelHome& home) {
  const fs::path builtins = home.runtime / "opencl/opencl.bc";
  std::error_code ignored;
  if (!fs::exists(home.opencl_module, ignored) || !fs::exists(builtins, ignored))
    throw input::UserError(
        "OpenCL C needs the compiler's plugin and the built-in library, which were not built with this Spica: apt "
        "install llvm-19-dev libclc-19 and build again");
  return builtins.string();
}

/// OpenCL C as Spica has it. The front end is that of 32-bit nvptx, whose names programs must not see.
constexpr const char* kFront[] = {
    "-x", "cl", "--target=nvptx-unknown-unknown", "-O2", "-Xclang", "-disable-llvm-passes", "-g",
    "-fdebug-compilation-dir=.", "-cl-kernel-arg-info", "-U__NVPTX__", "-U__PTX__", "-D__SPICA__=1",
    "-D__OPENCL_VERSION__=300", "-Xclang",
    "-cl-ext=-all,+cl_khr_fp64,+cl_khr_byte_addressable_store,"
    "+cl_khr_global_int32_base_atomics,+cl_khr_global_int32_extended_atomics,"
    "+cl_khr_local_int32_base_atomics,+cl_khr_local_int32_extended_atomics,"
    "+cl_khr_int64_base_atomics,+cl_khr_int64_extended_atomics,+cl_khr_subgroups,+__opencl_c_fp64,+__opencl_c_int64,+__opencl_c_subgroups,"
    "+__opencl_c_generic_address_space,+__opencl_c_program_scope_global_variables",
    // Those that clang's headers set for other targets.
    "-D__opencl_c_atomic_order_acq_rel=1", "-D__opencl_c_atomic_order_seq_cst=1",
    "-D__opencl_c_atomic_scope_device=1", "-D__opencl_c_work_group_collective_functions=1",
    "-Dcl_khr_subgroup_shuffle=1", "-emit-llvm", "-c"};

}  // namespace

Commands::Commands(const compiler::KernelHome& home)
    : home_(home),
      clang_(compiler::clang_for_plugin(home)),
      lld_(compiler::find_tool("SPICA_LLD", "ld.lld-19", "lld-19")),
      builtins_(checked_builtins(home)) {}

Words Commands::front(const std::string& source, const std::vector<std::string>& options,
                      const std::string& bitcode) const {
  Words words{clang_};
  words.insert(words.end(), std::begin(kFront), std::end(kFront));
  words.insert(words.end(), options.begin(), options.end());
  words.insert(words.end(), {source, "-o", bitcode});
  return words;
}

Words Commands::merge(const std::vector<std::string>& objects, const std::string& bitcode) const {
  Words words{home_.opencl_module.string(), "-objects"};
  words.insert(words.end(), objects.begin(), objects.end());
  words.insert(words.end(), {"-o", bitcode});
  return words;
}

Words Commands::module(const std::vector<std::string>& objects, const std::string& bitcode) const {
  Words words{home_.opencl_module.string(), "-builtins", builtins_};
  words.insert(words.end(), objects.begin(), objects.end());
  words.insert(words.end(), {"-o", bitcode});
  return words;
}

Words Commands::back(const std::string& bitcode, const Target& target,
                     const std::vector<std::string>& options, const std::string& elf) const {
  const fs::path sw = home_.root / "sw";
  const std::string plugin = home_.plugin.string();
  Words words{clang_,
              "@" + (sw / "clang.flags").string(),
              "-Xclang",
              "-load",
              "-Xclang",
              plugin,
              "-mllvm",
              "-spica-opencl",
              "-fpass-plugin=" + plugin};
  words.insert(words.end(), options.begin(), options.end());
  words.insert(words.end(),
               {"-fstack-size-section", "-x", "ir", bitcode, "-x", "none", "-T",
                (sw / "lib/kernel.ld").string(), "--ld-path=" + lld_, "-Wl,--defsym=__heap_size=0",
                fmt::format("-Wl,--defsym=__program_base={:#x}", target.base)});
  compiler::add_library(words, home_, fmt::format("{:#x}", target.shared_bytes));
  words.insert(words.end(), {"-o", elf});
  return words;
}

std::vector<fs::path> Commands::files(const Target& target) const {
  const fs::path sw = home_.root / "sw";
  std::vector<fs::path> files{clang_,
                              lld_,
                              builtins_,
                              home_.opencl_module,
                              home_.plugin,
                              sw / "clang.flags",
                              sw / "plain.flags",
                              sw / "lib/kernel.ld"};
  for (const std::string& object : compiler::library_of(home_, fmt::format("{:#x}", target.shared_bytes)))
    files.emplace_back(object);
  return files;
}

}  // namespace spica::opencl
