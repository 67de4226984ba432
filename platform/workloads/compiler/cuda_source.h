// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace spica::compiler {

/// For .cu files that do not compile: one line for each kernel launch (`<<<...>>>`), which is not valid C++, with what
/// to use instead. Empty: no launches, or an unreadable file.
std::string launches_in(const std::vector<std::string>& files);

}  // namespace spica::compiler
