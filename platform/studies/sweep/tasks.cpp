// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/sweep/tasks.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "platform/base/input/file.h"
#include "platform/base/input/number_text.h"
#include "platform/base/input/user_error.h"

namespace spica::sweep {

Shard Shard::parse(const std::string& text) {
  const std::size_t slash = std::min(text.find('/'), text.size());
  const auto number = input::parse_number(text.substr(0, slash));
  const auto count = input::parse_number(text.substr(std::min(slash + 1, text.size())));
  if (!number || !count || number.value_or(0) >= count.value_or(0))
    throw input::UserError(fmt::format("--shard \"{}\": expected I/N with I from 0 to N - 1", text));
  return {number.value_or(0), count.value_or(1)};
}

std::string Shard::text() const { return fmt::format("{}of{}", number, count); }

void for_each_point(const Plan& plan, RunFingerprints& keys, const std::function<void(const Point&)>& visit) {
  for (std::uint64_t index = 0; index < plan.count(); ++index) {
    const Point point = plan.point(index);
    if (plan.exists(point, [&](const std::string& key) { return keys.parameter(point, key); })) visit(point);
  }
}

std::vector<Task> all_tasks(const Plan& plan, RunFingerprints& keys, const Shard& shard,
                            const std::vector<std::uint64_t>& points) {
  std::vector<Task> tasks;
  const auto add = [&](const Point& point) {
    for (unsigned repeat = 0; repeat < plan.sweep().repeats; ++repeat)
      tasks.push_back({point.index, repeat, keys.key(point, repeat)});
  };
  if (points.empty()) {
    for_each_point(plan, keys, [&](const Point& point) {
      if (shard.has(point.index)) add(point);
    });
    return tasks;
  }
  for (std::size_t place = 0; place < points.size(); ++place) {
    if (points[place] >= plan.count())
      throw input::UserError(
          fmt::format("there is no point {}; the last one is {}", points[place], plan.count() - 1));
    if (shard.has(place)) add(plan.point(points[place]));
  }
  return tasks;
}

std::vector<std::uint64_t> read_points(const std::string& file) {
  const std::vector<unsigned char> bytes = input::read_file(file);
  std::istringstream stream(std::string(bytes.begin(), bytes.end()));
  std::vector<std::uint64_t> points;
  for (std::string line; std::getline(stream, line);) {
    const auto number = input::parse_number(line);
    if (!number) throw input::UserError(fmt::format("{}: \"{}\" is not a point number", file, line));
    points.push_back(*number);
  }
  if (points.empty()) throw input::UserError(fmt::format("{} has no point number", file));
  return points;
}

bool is_done(const Sweep& sweep, const Records& records, ColumnNames& columns, const std::string& key,
             const std::vector<State>& retry) {
  const State state = records.state(key);
  if (state == State::kMissing || std::find(retry.begin(), retry.end(), state) != retry.end()) return false;
  if (state != State::kOk && state != State::kWrong) return true;
  const std::vector<std::string>& names = columns.get(records.columns(key));
  if (names.empty()) return false;  // its values are unknown: the file of names is damaged
  return std::all_of(sweep.keep.begin(), sweep.keep.end(), [&](const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  });
}

}  // namespace spica::sweep
