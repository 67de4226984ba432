// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "platform/workloads/compiler/cc_command.h"
#include "platform/workloads/compiler/tools.h"

namespace spica::opencl {

/// True if one of the files of `spica cc` is OpenCL C (.cl).
bool is_opencl(const compiler::CcRequest& request);

/// The commands by which `spica cc` compiles and links files in OpenCL C, in order; files between them are in `folder`.
/// Throws UserError: other files among them, an option that OpenCL C has not, what Commands throws.
std::vector<compiler::Words> cl_commands(const compiler::KernelHome& home, const compiler::CcRequest& request,
                                         const std::filesystem::path& folder);

/// Runs them. Returns 0, 2 if the program is rejected, 3 if a compiler crashes.
int run_cl(const compiler::KernelHome& home, const compiler::CcRequest& request);

}  // namespace spica::opencl
