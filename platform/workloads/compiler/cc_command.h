// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "platform/workloads/compiler/kernel_compiler.h"

namespace spica::compiler {

/// What `spica cc` is asked for.
struct CcRequest {
  std::vector<std::string> words;  // files and options for the compiler, in their order
  std::string output;  // empty: when it links, the first file's name with .elf
  bool is_gcc = false;  // gcc, without the plugin: lanes diverge in macros only
  bool is_firmware = false;  // of the command processor: for its hart and its memory
};

/// The command that compiles, and unless told otherwise (-c, -S, ...) links, a kernel with the library of `home`, for
/// clang with the plugin that makes plain C++ right where lanes diverge; or gcc. Firmware needs no plugin. -O2 and -g
/// unless the words say otherwise. Throws UserError: no files, -O0 or -flto with clang, a tool or the plugin is
/// missing, no library for this size of shared memory (-DPLATFORM_SHARED_SIZE).
std::vector<std::string> cc_command(const KernelHome& home, const CcRequest& request);

/// Runs it here. Returns 0, 2 when the compiler refuses something, 3 when it breaks. Says of kernel launches in
/// `request`'s .cu files that were refused what to use instead.
int run_cc(const std::vector<std::string>& command, const CcRequest& request);

}  // namespace spica::compiler
