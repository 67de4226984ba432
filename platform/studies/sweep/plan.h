// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "platform/studies/sweep/sweep_file.h"
#include "platform/workloads/run_request.h"

namespace spica::sweep {

/// One point: a value for each axis.
struct Point {
  std::uint64_t index = 0;  // number in the plan
  std::string name;         // for a point outside the grid
  std::vector<const AxisValue*> values;  // by axis; owned by the sweep
};

/// All points of a sweep by number. The grid is numbered with the last axis fastest. A sample numbers its points in the
/// order of drawing, so that a longer one (random, sobol) begins with the shorter one. Points outside the grid follow.
/// Points are computed, not stored.
class Plan {
 public:
  /// `sweep` must outlive it. Throws UserError if the grid is too large to be enumerated.
  explicit Plan(const Sweep& sweep);

  /// Number of points; valid point numbers are below it.
  std::uint64_t count() const { return drawn_ + sweep_.also.size(); }
  Point point(std::uint64_t index) const;
  /// True if the conditions of the sweep hold. `parameter`: returns the value of a machine parameter that no axis sets.
  bool exists(const Point& point,
              const std::function<config::Operand(const std::string& key)>& parameter) const;
  /// The point's value for a name: the label of an axis, or the value of a key that an axis sets.
  config::Operand value_of(const Point& point, const std::string& name) const;
  const Sweep& sweep() const { return sweep_; }

 private:
  const Sweep& sweep_;
  std::uint64_t grid_ = 1;  // points of the grid
  std::uint64_t drawn_ = 0;  // points of the grid or the sample
};

/// The point's value for a key, from its axes or the fixed settings; "": none.
const std::string& option_of(const Sweep& sweep, const Point& point, std::string_view key);
/// All settings of a point: the fixed ones, then those of its axes.
std::vector<Setting> settings_of(const Sweep& sweep, const Point& point);
/// A parameter as KEY=VALUE, as for --set.
std::string override_of(const Setting& setting);
/// The run of a point, with the operands of run number `repeat`. Options without effect are omitted.
workloads::RunRequest request_of(const Sweep& sweep, const Point& point, unsigned repeat);
/// The command line of `spica` for this run.
std::vector<std::string> command_of(const Sweep& sweep, const Point& point, unsigned repeat);

}  // namespace spica::sweep
