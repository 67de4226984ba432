// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "platform/machine/loader/program.h"

namespace spica::loader {

/// Contents of the section of that name in the program's file; empty if there is none.
std::vector<unsigned char> section_bytes(const Program& program, const std::string& name);

}  // namespace spica::loader
