// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "platform/machine/loader/program.h"

namespace spica::loader {

/// The compilers of a program as its section .comment names them, "clang version 19.1.7" and the like. Each once,
/// printable, without the linker's name; empty if unknown. GCC comes first if there are two, because clang compiles the
/// kernel library, so that GCC is the compiler of the kernel (also in a build whose library is compiled by GCC,
/// SPICA_SW_COMPILER). Never trusts a size in the file.
std::vector<std::string> compilers_of(const Program& program);

}  // namespace spica::loader
