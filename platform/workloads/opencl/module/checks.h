// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/ADT/StringSet.h>
#include <llvm/IR/Module.h>

#include <string>
#include <vector>

namespace spica::opencl {

/// Sentences on what a program uses that Spica has not: kernels with images, samplers, pipes or queues, values of types
/// that only another target knows. Empty: none. Each begins with the place in the source, as a compiler's message does.
std::vector<std::string> unsupported(llvm::Module& module);

/// The same for functions that a program calls, and neither it nor the library has; `library` has the names that the
/// final link provides.
std::vector<std::string> undefined(llvm::Module& module, const llvm::StringSet<>& library);

}  // namespace spica::opencl
