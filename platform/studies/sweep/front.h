// SPDX-License-Identifier: Apache-2.0
// The points of a sweep that no other one is better than.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "platform/studies/sweep/results.h"
#include "platform/studies/sweep/sweep_file.h"

namespace spica::sweep {

struct Front {
  std::vector<std::size_t> rows;  // of Rows::rows, best value of the first objective first
  std::vector<std::size_t> outside_rows;
  std::size_t dominated = 0, outside = 0,
              failed = 0;  // points: worse ones; those that miss a constraint; no result
  std::size_t ties = 0;  // points of the front that have the same values as another one of it
  /// By point of the front: the others of it whose order in an objective the intervals leave open.
  std::vector<std::vector<std::size_t>> not_apart;
  std::size_t open = 0;  // of the worse points: those that the intervals do not make surely worse
  bool has_intervals = false, too_long = false;  // too many points for not_apart and open
};

/// How energies with intervals are compared, in sentences.
inline constexpr const char* kIntervalsText =
    "Energies are intervals. Points of one energy table share its errors: their order is known when it is the same at the low "
    "ends, the nominal values and the high ends. Of points with different tables it is known when their intervals do not overlap.";

/// The points that no other point is better than in one objective and as good as in all. `epsilon`: differences of less
/// than this part of a value are none. Points that miss a constraint are left out. `numbers`: of the rows that take
/// part.
///
/// An objective with columns NAME_low and NAME_high is an interval. The order of two points in it is known when it is
/// the same at the low ends, the nominal values and the high ends, since the entries of one energy table are wrong for
/// both in the same way; of points with other tables (kEnergyTable) only when their intervals do not overlap.
Front pareto_front(const Rows& rows, const std::vector<std::size_t>& numbers,
                   const std::vector<Objective>& objectives,
                   const std::vector<config::Expression>& constraints, double epsilon);
/// Pareto front of all rows.
Front pareto_front(const Rows& rows, const std::vector<Objective>& objectives,
                   const std::vector<config::Expression>& constraints, double epsilon);

}  // namespace spica::sweep
