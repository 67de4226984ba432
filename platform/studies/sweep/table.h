// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "platform/studies/sweep/results.h"
#include "platform/studies/sweep/sweep_file.h"

namespace spica::sweep {

struct TableOptions {
  std::string rows, columns;        // axes; empty: one line per point
  std::vector<std::string> values;  // results; with rows and columns, exactly one
  std::string ratio_to;             // label of `columns`: values are divided by those of its column
  std::string where;                // a condition on axes and results
  std::string sort;                 // a column; "-cycles": largest first
  std::string format = "text";      // text, csv, markdown
  bool intervals = false;           // readable values with their low and high ends
  std::string work = {};  // "each": points only, "total": networks only; empty: both for networks
  std::vector<std::string> more = {};  // additional columns of lines for points, without ratios
};

/// Results as text. For the layers of a network, a list ends with the network's totals (totals_of(); in csv only if
/// `work` requests them), and a table of rows and columns that are not the layers shows totals. Failed and missing
/// points are included with their state. Throws UserError: an unknown column, several points in one cell, ratios of
/// points with different work, or a total that cannot be computed.
std::string table_text(const Sweep& sweep, const Rows& rows, const TableOptions& options);

/// "12 points: 10 ok, 2 refused", followed by the notes below.
std::string footnote(const Rows& rows);
/// One line, preceded by a newline, for each timed window of the points, unless all have the usual one; and one for the
/// cycles before the first load, if their share is large (workloads::is_long_lead).
std::string region_notes(const Rows& rows);
/// One line, preceded by a newline, for each limitation of the energies of these points; empty: none.
std::string energy_notes(const Rows& rows);

/// The rows for which the condition is true; "": all.
Rows filtered(Rows rows, const std::string& where);

}  // namespace spica::sweep
