// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/studies/sweep/file_reader.h"
#include "platform/studies/sweep/sweep_file.h"

namespace spica::sweep {

/// Reads the results part of a sweep file: kept and calculated values, objectives, constraints, comparisons. `sweep`
/// must already have its axes and fixed values.
void read_results(const config::Node& root, Sweep& sweep, FileReader& file);

}  // namespace spica::sweep
