// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "platform/machine/loader/program.h"

namespace spica::loader {

/// The compilers of a program, "clang version 19.1.7" and the like, as its section .comment names them. Each once,
/// printable, without the linker's name; empty when the program does not say. clang compiles the library of kernels, so
/// GCC is the compiler of the kernel where there are two, and comes first (in a build whose library is by GCC,
/// SPICA_SW_COMPILER, it comes first as well). Never trusts a size in the file.
std::vector<std::string> compilers_of(const Program& program);

}  // namespace spica::loader
