// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace spica::job {

/// Creates the folder and its parents if missing. Throws UserError. "": does nothing.
void make_folder(const std::string& folder);

/// Appends a line in a single write, so that lines of several writers stay whole. Throws UserError.
void append_line(const std::string& file, std::string line);

}  // namespace spica::job
