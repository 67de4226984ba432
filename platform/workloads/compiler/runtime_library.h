// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "platform/workloads/compiler/kernel_compiler.h"
#include "platform/workloads/compiler/tools.h"

namespace spica::compiler {

/// The clang for which the plugin is made. Throws UserError: the plugin is missing, or SPICA_CLANG names another version.
std::string clang_for_plugin(const KernelHome& home);

/// The compiled library: what every kernel has, and what depends on the size of shared memory ("0x10000"). Throws
/// UserError that lists the sizes, if there is none for this one.
Words library_of(const KernelHome& home, const std::string& shared_size);

/// Adds what a program in plain C++ or OpenCL C is linked with: that library, and functions that lanes call one by one.
void add_library(Words& words, const KernelHome& home, const std::string& shared_size);

}  // namespace spica::compiler
