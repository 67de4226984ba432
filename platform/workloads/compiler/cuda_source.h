// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace spica::compiler {

/// For .cu files that do not compile: a line for each kernel launch (`<<<...>>>`), which C++ does not know, with what
/// to use instead. Empty: there are none, or a file cannot be read.
std::string launches_in(const std::vector<std::string>& files);

}  // namespace spica::compiler
