// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "platform/sweep/results.h"
#include "platform/sweep/sweep_file.h"

namespace spica::sweep {

struct TableOptions {
  std::string rows, columns;        // axes; empty: a line for each point
  std::vector<std::string> values;  // of results; with rows and columns one
  std::string ratio_to;             // label of `columns`: values are divided by those of that column
  std::string where;                // a condition on axes and results
  std::string sort;                 // a column, "-cycles" for the largest first
  std::string format = "text";      // text, csv, markdown
};

/// Results as text. Points that failed or are missing stay in it with their state. Throws UserError: an unknown column, or
/// several points that belong into one cell.
std::string table_text(const Sweep& sweep, const Rows& rows, const TableOptions& options);

/// "12 points: 10 ok, 2 refused".
std::string footnote(const Rows& rows);
/// A line, after a new one, for each thing that limits energies of these points; empty: there is none.
std::string energy_notes(const Rows& rows);

/// The rows for which the condition holds; "": all.
Rows filtered(Rows rows, const std::string& where);

struct Front {
  std::vector<std::size_t> rows;  // of Rows::rows, best value of the first objective first
  std::vector<std::size_t> outside_rows;
  std::size_t dominated = 0, outside = 0,
              failed = 0;  // points: worse ones; those that miss a constraint; no result
  std::size_t ties = 0;  // points of the front that have the same values as another one of it
};

/// The points that no other point is better than in one objective and as good as in all. `epsilon`: differences of less than
/// this part of a value are none. Points that miss a constraint of the sweep are no part of it.
Front pareto_front(const Rows& rows, const std::vector<Objective>& objectives,
                   const std::vector<Expression>& constraints, double epsilon);

}  // namespace spica::sweep
