// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/cli/command_line.h"

namespace spica::cli {

/// --allow-plugins, for commands that build machines: block libraries named by configurations may be loaded.
void add_plugin_option(Command& command);
/// From now on, this process loads such a library only if the user has allowed its content: by the option, by the
/// environment, or at a terminal, where each content is asked about once.
void guard_plugins();
/// For commands that check files: libraries that are not allowed are skipped instead of refused.
void leave_out_plugins();
/// Prints what was skipped since leave_out_plugins(). Returns false if nothing was.
bool print_unchecked_plugins();

}  // namespace spica::cli
