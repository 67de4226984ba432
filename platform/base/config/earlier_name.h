// SPDX-License-Identifier: Apache-2.0
// Options that have another name now (kEarlierNames in describe.h). Whatever reads names of options, such as command
// lines, documents and sweeps, accepts the earlier ones and continues with the present one.
#pragma once

#include <string_view>
#include <vector>

#include "platform/base/config/field.h"
#include "platform/base/config/node.h"
#include "platform/base/config/problem.h"

namespace spica::config {

/// The option that has the name, or had it. In the second case a note goes to the error output, once per name and
/// process. nullptr: there is none.
const Field* option_of_name(const std::vector<Field>& options, std::string_view name);

/// Renames the keys of a map that are earlier names. Reports an option that is given by two names.
void rename_keys(Node& map, const std::vector<Field>& options, std::vector<Problem>& problems);

}  // namespace spica::config
