// SPDX-License-Identifier: Apache-2.0
// Command-line options generated from a description (platform/base/config/describe.h).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "platform/base/config/field.h"
#include "platform/cli/command_line.h"

namespace spica::cli {

/// Adds an option for each field of `options`; its variables must exist until the command has run. Field "block_scale"
/// becomes --block-scale, with a name for each of its earlier names. Fields in `positional` become words without a name.
/// Omitted are fields in `hidden`, and truth values that are already true, which count as given.
void add_described(Command& command, const config::Field& options,
                   const std::vector<std::string_view>& positional = {},
                   const std::vector<std::string_view>& hidden = {});

/// Adds --as, earlier --format: `form` of the output, which is one of `forms`. The variable must exist until the command
/// has run.
Option add_output_form(Command& command, std::string& form, const std::vector<std::string>& forms);
/// Writes a note if the earlier name of --as is among the words of a command line.
void note_output_form(const std::vector<std::string>& words);

/// Writes a note for each earlier name of an option among the words of a command line.
void note_earlier_names(const config::Field& options, const std::vector<std::string>& words);

}  // namespace spica::cli
