// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/sweep/work.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <string_view>

#include "platform/base/input/user_error.h"
#include "platform/base/text/number_format.h"
#include "platform/studies/sweep/record.h"
#include "platform/studies/sweep/settings.h"
#include "platform/workloads/timed_region.h"

namespace spica::sweep {

namespace {

bool changes_work(const workloads::Kind& job, const std::string& key) {
  const config::Field* const option = find_option(job, key);
  return key.rfind(kArgument, 0) == 0 || (option != nullptr && option->is_work);
}

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() > end.size() && text.substr(text.size() - end.size()) == end;
}

/// `column` without a suffix for an end of an interval, or of several runs; and that suffix.
std::pair<std::string, std::string> parts_of(const std::string& column) {
  for (const char* end : {kLow, kHigh, "_min", "_max"})
    if (ends_with(column, end)) return {column.substr(0, column.size() - std::string_view(end).size()), end};
  return {column, ""};
}

/// How the values of layers become that of a network.
enum class Rule : std::uint8_t { kUnknown, kSum, kLargest, kSame, kPerMultiplyAdd, kOverTime, kDelay };
Rule rule_of(const std::string& column) {
  static const std::set<std::string> sums{"cycles",
                                          "time_us",
                                          "simulated_cycles",
                                          "instructions",
                                          "thread_instructions",
                                          "warp_instructions",
                                          "register_file_accesses",
                                          kLead,
                                          kMultiplyAdds};
  static const std::set<std::string> errors{"max_error", "rms_error", "largest_error"};
  const std::string name = parts_of(column).first;
  if (name == "edp_uj_us") return Rule::kDelay;
  if (sums.count(name) != 0 || ends_with(name, "_uj") || name.rfind("stats.", 0) == 0 ||
      name.rfind("sum(stats.", 0) == 0)
    return Rule::kSum;
  if (errors.count(name) != 0 || name.rfind("max(stats.", 0) == 0) return Rule::kLargest;
  if (name == "area_mm2") return Rule::kSame;
  if (name == "pj_per_mac") return Rule::kPerMultiplyAdd;
  if (name == "utilisation" || ends_with(name, "_mw")) return Rule::kOverTime;
  return Rule::kUnknown;
}

/// Text about layers, not counts.
bool is_text(const std::string& column) {
  return column == kEnergyNotes || column == kEnergyTable || column == kWindow;
}

/// The column whose sums a mean is weighted with, or that a product needs; empty: none.
std::string needed_by(const std::string& column) {
  switch (rule_of(column)) {
    case Rule::kPerMultiplyAdd: return kMultiplyAdds;
    case Rule::kOverTime: return "cycles";
    case Rule::kDelay: return "total_energy_uj" + parts_of(column).second;
    default: return {};
  }
}

/// A layer's row, and how often the network has it.
struct Part {
  const std::vector<config::Operand>* row;
  double count;
};

config::Operand total_of(const Rows& rows, const std::string& column, const std::vector<Part>& parts) {
  const std::size_t at = rows.column(column);
  const auto value = [](const Part& part, std::size_t place) { return number_of((*part.row)[place]); };
  const auto sum = [&](const auto& term) {
    double all = 0;
    for (const Part& part : parts) all += part.count * term(part);
    return all;
  };
  const auto own = [&](const Part& part) { return value(part, at); };
  const std::string needed = needed_by(column);
  const std::size_t other = needed.empty() ? 0 : rows.column(needed);
  switch (rule_of(column)) {
    case Rule::kSum: return sum(own);
    case Rule::kPerMultiplyAdd:
    case Rule::kOverTime:
      return sum([&](const Part& part) { return value(part, at) * value(part, other); }) /
             sum([&](const Part& part) { return value(part, other); });
    case Rule::kDelay:  // energy of all times time of all
      return sum([&](const Part& part) { return value(part, other); }) *
             sum([&](const Part& part) { return value(part, at) / value(part, other); });
    case Rule::kLargest: {
      double largest = own(parts.front());
      for (const Part& part : parts) largest = std::max(largest, own(part));
      return largest;
    }
    default: return (*parts.front().row)[at];
  }
}

void check_totals(const Rows& rows, const std::vector<std::string>& columns) {
  for (const std::string& column : columns) {
    if (is_text(column)) continue;
    if (rule_of(column) == Rule::kUnknown)
      throw input::UserError(fmt::format(
          "{}: no rule combines the values of layers into that of a network; use --work each to report "
          "each layer",
          column));
    if (const std::string needed = needed_by(column); !needed.empty() && !rows.has(needed))
      throw input::UserError(
          fmt::format("{}: the value for a network is computed from {}; add it to keep", column, needed));
  }
}

/// The rows of one machine: one for each layer.
class Network {
 public:
  Network(const Rows& rows, const Axis& layers) : rows_(rows), layers_(layers) {}

  void add(const std::vector<config::Operand>& row) {
    if (first_ == nullptr) first_ = &row;
    by_layer_[text_of(row[rows_.column(layers_.name)])] = &row;
  }

  /// The row of the network: axes as they are, of all layers that of a network, and the columns.
  std::vector<config::Operand> total(const Sweep& sweep, const std::vector<std::string>& columns) const {
    std::vector<config::Operand> result{config::Operand()};
    for (const Axis& axis : sweep.axes)
      result.push_back(&axis == &layers_ ? config::Operand(fmt::format("all {}", layers_.values.size()))
                                         : (*first_)[rows_.column(axis.name)]);
    std::vector<Part> parts;
    std::string state = state_name(State::kOk), reason;
    for (const AxisValue& value : layers_.values) {
      const auto found = by_layer_.find(text_of(config::operand_of(value.label)));
      const std::string own = found == by_layer_.end() ? state_name(State::kMissing)
                                                       : text_of((*found->second)[rows_.column("state")]);
      if (own == state_name(State::kOk)) {
        parts.push_back({found->second, static_cast<double>(value.count)});
      } else if (reason.empty()) {
        state = own;
        reason = fmt::format("layer {}", value.label);
      }
    }
    result.emplace_back(state);
    result.push_back(reason.empty() ? config::Operand() : config::Operand(reason));
    for (const std::string& column : columns)
      result.push_back(!reason.empty()   ? config::Operand()
                       : is_text(column) ? texts(rows_.column(column), parts)
                                         : total_of(rows_, column, parts));
    return result;
  }

 private:
  /// Each of the texts once.
  static config::Operand texts(std::size_t at, const std::vector<Part>& parts) {
    std::vector<std::string> all;
    for (const Part& part : parts)
      for (std::string rest = text_of((*part.row)[at]); !rest.empty();) {
        const std::size_t end = std::min(rest.find("; "), rest.size());
        if (std::find(all.begin(), all.end(), rest.substr(0, end)) == all.end())
          all.push_back(rest.substr(0, end));
        rest.erase(0, std::min(end + 2, rest.size()));
      }
    return all.empty() ? config::Operand() : config::Operand(fmt::format("{}", fmt::join(all, "; ")));
  }

  const Rows& rows_;
  const Axis& layers_;
  const std::vector<config::Operand>* first_ = nullptr;
  std::map<std::string, const std::vector<config::Operand>*> by_layer_;
};

/// The same rows apart by what `column` says; those without a value are with the first.
void divide(std::vector<WorkGroup>& groups, const Rows& rows, const std::string& column,
            const std::function<std::string(const std::string&)>& words) {
  if (!rows.has(column)) return;
  const std::size_t at = rows.column(column);
  std::vector<WorkGroup> result;
  for (WorkGroup& group : groups) {
    std::vector<WorkGroup> parts;
    std::map<std::string, std::size_t> places;
    std::vector<std::size_t> without;
    for (const std::size_t number : group.numbers) {
      const std::string value = text_of(rows.rows[number][at]);
      if (value.empty()) {
        without.push_back(number);
        continue;
      }
      const auto [found, is_new] = places.try_emplace(value, parts.size());
      if (is_new) parts.push_back({group.name + (group.name.empty() ? "" : ", ") + words(value), {}});
      parts[found->second].numbers.push_back(number);
    }
    if (parts.size() < 2) {
      result.push_back(std::move(group));
      continue;
    }
    parts.front().numbers.insert(parts.front().numbers.end(), without.begin(), without.end());
    std::move(parts.begin(), parts.end(), std::back_inserter(result));
  }
  groups = std::move(result);
}

}  // namespace

std::vector<const Axis*> work_axes(const Sweep& sweep) {
  std::vector<const Axis*> axes;
  for (const Axis& axis : sweep.axes) {
    const bool is_work =
        sweep.work ? std::find(sweep.work->begin(), sweep.work->end(), axis.name) != sweep.work->end()
                   : std::any_of(axis.keys.begin(), axis.keys.end(),
                                 [&](const std::string& key) { return changes_work(*sweep.job, key); });
    if (is_work) axes.push_back(&axis);
  }
  return axes;
}

std::vector<std::string> names_of_work(const Sweep& sweep) {
  std::vector<std::string> names;
  for (const Axis* axis : work_axes(sweep)) names.push_back(axis->name);
  return names;
}

const Axis* layer_axis(const Sweep& sweep) {
  const Axis* found = nullptr;
  for (const Axis& axis : sweep.axes) {
    if (axis.layers.empty()) continue;
    if (found != nullptr) return nullptr;
    found = &axis;
  }
  return found;
}

Over usual_over(const Sweep& sweep) { return layer_axis(sweep) != nullptr ? Over::kTotal : Over::kEach; }

bool has_total(const Rows& rows, const std::string& column) {
  const std::string needed = needed_by(column);
  return is_text(column) || (rule_of(column) != Rule::kUnknown && (needed.empty() || rows.has(needed)));
}

Rows totals_of(const Sweep& sweep, const Rows& rows, const std::vector<std::string>& columns) {
  const Axis* const layers = layer_axis(sweep);
  if (layers == nullptr)
    throw input::UserError(
        "--work total adds up the layers of a network, but the sweep does not have exactly one axis with layers:");
  check_totals(rows, columns);
  std::vector<Network> networks;
  std::map<std::string, std::size_t> places;
  for (const auto& row : rows.rows) {
    std::string machine;
    for (const Axis& axis : sweep.axes)
      if (&axis != layers) machine += text_of(row[rows.column(axis.name)]) + '\n';
    const auto [found, is_new] = places.try_emplace(machine, networks.size());
    if (is_new) networks.emplace_back(rows, *layers);
    networks[found->second].add(row);
  }
  Rows totals;
  totals.columns = {"point"};
  for (const Axis& axis : sweep.axes) totals.columns.push_back(axis.name);
  totals.columns.insert(totals.columns.end(), {"state", "reason"});
  totals.columns.insert(totals.columns.end(), columns.begin(), columns.end());
  for (const Network& network : networks) totals.rows.push_back(network.total(sweep, columns));
  return totals;
}

std::string machine_text(const Sweep& sweep, const Rows& totals, std::size_t row, const char* between) {
  std::vector<std::string> parts;
  for (const Axis& axis : sweep.axes)
    if (axis.layers.empty())
      parts.push_back(axis.name + ' ' + text_of(totals.rows[row][totals.column(axis.name)]));
  return fmt::format("{}", fmt::join(parts, between));
}

std::vector<WorkGroup> groups_of(const Sweep& sweep, const Rows& rows, Over over) {
  std::vector<WorkGroup> groups;
  std::map<std::string, std::size_t> places;
  std::vector<const Axis*> axes = work_axes(sweep);
  if (over == Over::kTotal) axes.erase(std::remove(axes.begin(), axes.end(), layer_axis(sweep)), axes.end());
  std::vector<std::size_t> columns;
  for (const Axis* axis : axes) columns.push_back(rows.column(axis->name));
  for (std::size_t number = 0; number < rows.rows.size(); ++number) {
    std::string name;
    for (std::size_t i = 0; i < axes.size(); ++i)
      name +=
          fmt::format("{}{} {}", i == 0 ? "" : ", ", axes[i]->name, text_of(rows.rows[number][columns[i]]));
    const auto [found, is_new] = places.try_emplace(name, groups.size());
    if (is_new) groups.push_back({name, {}});
    groups[found->second].numbers.push_back(number);
  }
  divide(groups, rows, kMultiplyAdds, [](const std::string& value) { return value + " multiply-adds"; });
  divide(groups, rows, kWindow, [](const std::string& value) { return "timed region " + value; });
  if (groups.size() == 1) groups.front().name.clear();
  return groups;
}

std::string total_text(const Sweep& sweep) {
  const Axis* const layers = layer_axis(sweep);
  if (layers == nullptr) return {};
  std::uint64_t products = 0;
  for (const AxisValue& value : layers->values) products += value.count;
  return fmt::format(
      "Values are of all {} products of {}: {} layers, each as often as its count; of errors the largest.{}",
      text::grouped(products), fmt::join(layers->layers, ", "), layers->values.size(),
      layers->cut ? " Layers are cut, so this is not the whole network." : "");
}

}  // namespace spica::sweep
