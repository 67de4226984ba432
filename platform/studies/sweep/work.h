// SPDX-License-Identifier: Apache-2.0
// Determines the points of a sweep that compute the same, so that their results can be compared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "platform/studies/sweep/results.h"
#include "platform/studies/sweep/sweep_file.h"

namespace spica::sweep {

/// The axes whose values change the work: `work` of the file, else those with a size, a layer, a sequence, a batch or
/// the arguments of a program.
std::vector<const Axis*> work_axes(const Sweep& sweep);

/// Names of the axes that change the work.
std::vector<std::string> names_of_work(const Sweep& sweep);

/// The reason why a baseline must not name such an axis.
inline constexpr const char* kNoBase =
    "the values of this axis are different work, and ratios compare points that compute the same; without it, each of its values "
    "has a base of its own (`work` names the axes that change what is computed)";

/// The axis over the layers of a network, whose results can be added up; nullptr: there is none, or there are several.
const Axis* layer_axis(const Sweep& sweep);

enum class Over : std::uint8_t { kEach, kTotal };
/// kTotal for a sweep over the layers of a network.
Over usual_over(const Sweep& sweep);

/// True if the column can be computed for a network from the existing columns.
bool has_total(const Rows& rows, const std::string& column);
/// A row for each machine (a combination of the other axes) with the values of a whole network: sums over its layers
/// times their count (energies, cycles, counts), means derived from such sums, maxima of errors. The columns are point
/// (empty), the axes, state, reason, and `columns`. A machine without a result for some layer has that layer's state.
/// Throws UserError if layer_axis() has none, or a column cannot be computed for a network.
Rows totals_of(const Sweep& sweep, const Rows& rows, const std::vector<std::string>& columns);

/// The machine of a row of totals_of(): "dim 16, banks 4" with ", " between the axes.
std::string machine_text(const Sweep& sweep, const Rows& totals, std::size_t row, const char* between);

/// Points with comparable results: the same work, with the same timed region.
struct WorkGroup {
  std::string name;  // "size 64x64x64, batch 2"; empty: all rows are in one group
  std::vector<std::size_t> numbers;  // of the rows
};

/// The groups of rows, in the order of their first members: the same values of work_axes(), number of multiply-adds and
/// timed window. `rows`: of points or, with kTotal, of totals_of().
std::vector<WorkGroup> groups_of(const Sweep& sweep, const Rows& rows, Over over);

/// Describes a total in a sentence; empty: nothing to describe.
std::string total_text(const Sweep& sweep);

}  // namespace spica::sweep
