// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace spica::job {

/// Makes the folder and those above it, if it is not there. Throws UserError. "": does nothing.
void make_folder(const std::string& folder);

}  // namespace spica::job
