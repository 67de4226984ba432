// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "platform/observe/area/area_report.h"

namespace spica::area {

/// A table of the units with their share and their largest part; with `parts`, one line for each part.
std::string area_text(const AreaReport& report, bool parts);
/// The entries of a table for each structure, in a technology.
std::string table_text(const power::AreaTable& table, double technology_nm);
/// "3.2 mm2 (1.9 ... 7.1)"
std::string area_phrase(const power::Interval& mm2);

}  // namespace spica::area
