// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace spica::job {

/// Makes the folder and those above it, if it is not there. Throws UserError. "": does nothing.
void make_folder(const std::string& folder);

/// Appends a line in one write, so that lines of several writers stay whole. Throws UserError.
void append_line(const std::string& file, std::string line);

}  // namespace spica::job
