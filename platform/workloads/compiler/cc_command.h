// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "platform/workloads/compiler/kernel_compiler.h"

namespace spica::compiler {

/// The parameters of `spica cc`.
struct CcRequest {
  std::vector<std::string> words;  // files and options for the compiler, in order
  std::string output;  // empty: when linking, the first file's name with .elf
  bool is_gcc = false;  // gcc, without the plugin: lanes may diverge in macros only
  bool is_firmware = false;  // firmware of the command processor: for its hart and its memory
};

/// Throws UserError if one of these words is a file for which a compiler would wait, such as a pipe.
void check_files(const std::vector<std::string>& words);

/// The command that compiles and, without -c, -S, ..., links a kernel with the library of `home`: with clang and the
/// plugin that makes plain C++ correct where lanes diverge, or with gcc. Firmware needs no plugin. -O2 and -g unless
/// `words` override them. Throws UserError: no files, -O0 or -flto with clang, a missing tool or plugin, no library for
/// this size of shared memory (-DPLATFORM_SHARED_SIZE).
std::vector<std::string> cc_command(const KernelHome& home, const CcRequest& request);

/// Runs the command with the input and output of this process. Returns 0, 2 if the compiler reports errors, 3 if it
/// crashes. For rejected kernel launches in `request`'s .cu files, prints what to use instead.
int run_cc(const std::vector<std::string>& command, const CcRequest& request);

}  // namespace spica::compiler
