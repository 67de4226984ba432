// SPDX-License-Identifier: Apache-2.0
#include "platform/sweep/tasks.h"

#include <fmt/format.h>

#include <algorithm>

#include "platform/loader/number_text.h"
#include "platform/loader/user_error.h"

namespace spica::sweep {

Shard Shard::parse(const std::string& text) {
  const std::size_t slash = std::min(text.find('/'), text.size());
  const auto number = loader::parse_number(text.substr(0, slash));
  const auto count = loader::parse_number(text.substr(std::min(slash + 1, text.size())));
  if (!number || !count || number.value_or(0) >= count.value_or(0))
    throw loader::UserError(fmt::format("--shard \"{}\": it is I/N with I from 0 to N - 1", text));
  return {number.value_or(0), count.value_or(1)};
}

std::string Shard::text() const { return fmt::format("{}of{}", number, count); }

void for_each_point(const Plan& plan, PointKeys& keys, const std::function<void(const Point&)>& visit) {
  for (std::uint64_t index = 0; index < plan.count(); ++index) {
    const Point point = plan.point(index);
    if (plan.exists(point, [&](const std::string& key) { return keys.parameter(point, key); })) visit(point);
  }
}

std::vector<Task> all_tasks(const Plan& plan, PointKeys& keys, const Shard& shard) {
  std::vector<Task> tasks;
  for_each_point(plan, keys, [&](const Point& point) {
    if (!shard.has(point.index)) return;
    for (unsigned repeat = 0; repeat < plan.sweep().repeats; ++repeat)
      tasks.push_back({point.index, repeat, keys.key(point, repeat)});
  });
  return tasks;
}

bool is_done(const Sweep& sweep, const Records& records, ColumnNames& columns, const std::string& key,
             const std::vector<State>& retry) {
  const State state = records.state(key);
  if (state == State::kMissing || std::find(retry.begin(), retry.end(), state) != retry.end()) return false;
  if (state != State::kOk && state != State::kWrong) return true;
  const std::vector<std::string>& names = columns.get(records.columns(key));
  return std::all_of(sweep.keep.begin(), sweep.keep.end(), [&](const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  });
}

}  // namespace spica::sweep
