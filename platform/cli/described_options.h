// SPDX-License-Identifier: Apache-2.0
// Options of the command line that follow from a description (platform/base/config/describe.h).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "platform/base/config/field.h"
#include "platform/cli/command_line.h"

namespace spica::cli {

/// An option for each field of `options`, which must refer to something that lives until the command has run:
/// "block_scale" is --block-scale. Those in `positional` are words without a name. Left out are those in `hidden`, and
/// truth values that are true already, which count as given.
void add_described(Command& command, const config::Field& options,
                   const std::vector<std::string_view>& positional = {},
                   const std::vector<std::string_view>& hidden = {});

}  // namespace spica::cli
