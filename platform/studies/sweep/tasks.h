// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "platform/studies/sweep/plan.h"
#include "platform/studies/sweep/run_fingerprints.h"
#include "platform/studies/sweep/store.h"

namespace spica::sweep {

/// One run of a point.
struct Task {
  std::uint64_t index = 0;
  unsigned repeat = 0;
  std::string key;
};

/// Part `number` of `count` of the points: those with this number modulo `count`.
struct Shard {
  std::uint64_t number = 0, count = 1;

  bool has(std::uint64_t index) const { return index % count == number; }
  /// "3/10" from "3/10". Throws UserError.
  static Shard parse(const std::string& text);
  std::string text() const;
};

/// Calls `visit` with each existing point of the plan, in order.
void for_each_point(const Plan& plan, RunFingerprints& keys, const std::function<void(const Point&)>& visit);

/// All runs of the existing points, in order. `points`: if not empty, only these; a shard is then a part of this list.
std::vector<Task> all_tasks(const Plan& plan, RunFingerprints& keys, const Shard& shard = {},
                            const std::vector<std::uint64_t>& points = {});
/// The point numbers in a file, one per line. Throws UserError.
std::vector<std::uint64_t> read_points(const std::string& file);

/// True if there is a record with all values that the sweep keeps, whose state is not in `retry`.
bool is_done(const Sweep& sweep, const Records& records, ColumnNames& columns, const std::string& key,
             const std::vector<State>& retry);

}  // namespace spica::sweep
