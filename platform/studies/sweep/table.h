// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "platform/studies/sweep/results.h"
#include "platform/studies/sweep/sweep_file.h"

namespace spica::sweep {

struct TableOptions {
  std::string rows, columns;        // axes; empty: a line for each point
  std::vector<std::string> values;  // of results; with rows and columns one
  std::string ratio_to;             // label of `columns`: values are divided by those of that column
  std::string where;                // a condition on axes and results
  std::string sort;                 // a column, "-cycles" for the largest first
  std::string format = "text";      // text, csv, markdown
  bool intervals = false;           // for people, values with their low and high ends
  std::string work =
      {};  // "each": points only, "total": of a network only; empty: both where there is a network
  std::vector<std::string> more = {};  // further columns of a line for each point, without ratios
};

/// Results as text. Over the layers of a network a list ends with the totals of it (totals_of(); not in csv unless
/// `work` asks for them), and a table of rows and columns that are not the layers shows totals. Points that failed or
/// are missing stay in it with their state. Throws UserError: an unknown column, several points that belong into one
/// cell, ratios of points that compute something else, or a total that is not known.
std::string table_text(const Sweep& sweep, const Rows& rows, const TableOptions& options);

/// "12 points: 10 ok, 2 refused", and the notes below.
std::string footnote(const Rows& rows);
/// A line, after a new one, for each window that points were timed over, unless all were timed over the usual one; and
/// one for the cycles before the first load, where they are a part that counts (workloads::is_long_lead).
std::string region_notes(const Rows& rows);
/// A line, after a new one, for each thing that limits energies of these points; empty: there is none.
std::string energy_notes(const Rows& rows);

/// The rows for which the condition holds; "": all.
Rows filtered(Rows rows, const std::string& where);

}  // namespace spica::sweep
