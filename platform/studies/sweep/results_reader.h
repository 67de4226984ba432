// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/studies/sweep/file_reader.h"
#include "platform/studies/sweep/sweep_file.h"

namespace spica::sweep {

/// What a sweep file says of results: what is kept and calculated, objectives, constraints, comparisons. `sweep` has
/// its axes and what is fixed already.
void read_results(const config::Node& root, Sweep& sweep, FileReader& file);

}  // namespace spica::sweep
