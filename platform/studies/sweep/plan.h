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
  std::uint64_t index = 0;  // in the plan
  std::string name;         // of one outside of the grid
  std::vector<const AxisValue*> values;  // by axis; they belong to the sweep
};

/// All points of a sweep by number. The grid is numbered with the last axis fastest; a sample numbers what it draws, so
/// that a longer one (random, sobol) begins with the shorter one; the points outside of the grid follow. Points are
/// computed, not stored.
class Plan {
 public:
  /// `sweep` must outlive it. Throws UserError for a grid that is too large to be gone through.
  explicit Plan(const Sweep& sweep);

  /// Number of points; valid point numbers are below it.
  std::uint64_t count() const { return drawn_ + sweep_.also.size(); }
  Point point(std::uint64_t index) const;
  /// Whether the conditions of the sweep hold. `parameter`: the value of a key of the machine that no axis sets.
  bool exists(const Point& point,
              const std::function<config::Operand(const std::string& key)>& parameter) const;
  /// What the point says about a name: the label of an axis, or the value it sets a key to.
  config::Operand value_of(const Point& point, const std::string& name) const;
  const Sweep& sweep() const { return sweep_; }

 private:
  const Sweep& sweep_;
  std::uint64_t grid_ = 1;  // points of the grid
  std::uint64_t drawn_ = 0;  // of them, or of the sample
};

/// What a point has for a key, of its axes or fixed; "": nothing.
const std::string& option_of(const Sweep& sweep, const Point& point, std::string_view key);
/// Everything a point sets: what is fixed, then its axes.
std::vector<Setting> settings_of(const Sweep& sweep, const Point& point);
/// KEY=VALUE of a parameter, as --set takes it.
std::string override_of(const Setting& setting);
/// The run of a point, with the operands of run number `repeat`. Options that have no effect there are left out.
workloads::RunRequest request_of(const Sweep& sweep, const Point& point, unsigned repeat);
/// The command line of `spica` for it.
std::vector<std::string> command_of(const Sweep& sweep, const Point& point, unsigned repeat);

}  // namespace spica::sweep
