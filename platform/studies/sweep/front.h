// SPDX-License-Identifier: Apache-2.0
// The Pareto-optimal points of a sweep.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "platform/studies/sweep/results.h"
#include "platform/studies/sweep/sweep_file.h"

namespace spica::sweep {

struct Front {
  std::vector<std::size_t> rows;  // indices in Rows::rows, best value of the first objective first
  std::vector<std::size_t> outside_rows;
  std::size_t dominated = 0, outside = 0,
              failed = 0;  // numbers of points: dominated; violating a constraint; without result
  std::size_t ties = 0;  // points of the front with the same values as another one on it
  /// By point of the front: other points on it whose order in an objective the intervals leave open.
  std::vector<std::vector<std::size_t>> not_apart;
  std::size_t open = 0;  // dominated points that are not dominated with certainty within the intervals
  bool has_intervals = false, too_long = false;  // too many points to compute not_apart and open
};

/// Explains in sentences how energies with intervals are compared.
inline constexpr const char* kIntervalsText =
    "Energies are intervals. Points of one energy table share its errors: their order is known when it is the same at the low "
    "ends, the nominal values and the high ends. Of points with different tables it is known when their intervals do not overlap.";

/// The points that no other point dominates: none is better in one objective and at least as good in all others.
/// `epsilon`: relative differences below this count as equal. Points that violate a constraint are excluded. `numbers`:
/// the rows to compare.
///
/// An objective with columns NAME_low and NAME_high is an interval. The order of two points in it is certain if it is
/// the same at the low ends, the nominal values and the high ends, because errors of one energy table affect both in
/// the same way. For points with different tables (kEnergyTable) it is certain only if their intervals do not overlap.
Front pareto_front(const Rows& rows, const std::vector<std::size_t>& numbers,
                   const std::vector<Objective>& objectives,
                   const std::vector<config::Expression>& constraints, double epsilon);
/// The Pareto front of all rows.
Front pareto_front(const Rows& rows, const std::vector<Objective>& objectives,
                   const std::vector<config::Expression>& constraints, double epsilon);

}  // namespace spica::sweep
