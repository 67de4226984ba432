// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/experiment/calculated.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <variant>

#include "platform/run/record.h"

namespace spica::experiment {

namespace {

constexpr const char* kSpeedup = "speedup";

config::Operand operand_of(const json::Value& value) {
  if (value.is_number()) return value.get<double>();
  if (value.is_string()) return value.get<std::string>();
  return {};
}

/// The labels of a point by axis; of those of the baseline its own.
std::vector<std::string> labels_of(const Experiment& experiment, const Cell& cell, bool of_baseline) {
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < cell.point.values.size(); ++i) {
    const auto& baseline = experiment.sweep().baseline;
    const auto base = baseline.find(experiment.sweep().axes[i].name);
    labels.push_back(of_baseline && base != baseline.end() ? base->second : cell.point.values[i]->label);
  }
  return labels;
}

}  // namespace

std::vector<std::string> calculated_columns(const sweep::Sweep& sweep) {
  std::vector<std::string> names;
  if (!sweep.baseline.empty()) names.emplace_back(kSpeedup);
  for (const sweep::Column& column : sweep.columns) names.push_back(column.name);
  return names;
}

void add_calculated(const sweep::Sweep& sweep, const json::Value& stats, json::Value& columns) {
  const auto value = [&](const std::string& name) -> config::Operand {
    const bool of_block = name.find("stats.") != std::string::npos && stats.contains("stats");
    if (of_block) return operand_of(job::kept_value(stats.at("stats"), name));
    const auto found = stats.find(name);
    return found == stats.end() ? config::Operand() : operand_of(*found);
  };
  for (const sweep::Column& column : sweep.columns) {
    const config::Operand result = column.value.value(value);
    const double* const number = std::get_if<double>(&result);
    if (number == nullptr) columns[column.name] = nullptr;
    else if (static_cast<double>(static_cast<std::int64_t>(*number)) == *number)
      columns[column.name] = static_cast<std::int64_t>(*number);
    else columns[column.name] = *number;
  }
}

void add_speedups(const Experiment& experiment, std::vector<CellResult>& results) {
  if (experiment.sweep().baseline.empty()) return;
  for (CellResult& result : results) {
    const std::vector<std::string> wanted = labels_of(experiment, result.cell, true);
    const auto base = std::find_if(results.begin(), results.end(), [&](const CellResult& one) {
      return labels_of(experiment, one.cell, false) == wanted;
    });
    result.columns[kSpeedup] = nullptr;
    if (base != results.end() && base->verified() && result.verified() && result.cycles != 0)
      result.columns[kSpeedup] = static_cast<double>(base->cycles) / static_cast<double>(result.cycles);
  }
}

std::vector<Summary> summary_of(const Experiment& experiment, const std::vector<CellResult>& results) {
  const sweep::Sweep& sweep = experiment.sweep();
  const std::vector<std::string> names = calculated_columns(sweep);
  std::vector<Summary> lines;
  for (const CellResult& result : results) {
    std::vector<std::string> labels;
    for (const std::string& axis : sweep.summary)
      labels.push_back(
          result.cell.point.values[static_cast<std::size_t>(sweep.axis(axis) - sweep.axes.data())]->label);
    auto line =
        std::find_if(lines.begin(), lines.end(), [&](const Summary& one) { return one.labels == labels; });
    if (line == lines.end()) {
      line = lines.insert(line, {labels, {}});
      for (const std::string& name : names) line->figures.push_back({name});
    }
    for (Summary::Figure& figure : line->figures) {
      const auto found = result.columns.find(figure.column);
      if (found == result.columns.end() || !found->is_number()) continue;
      const auto value = found->get<double>();
      figure.largest = figure.cells == 0 ? value : std::max(figure.largest, value);
      figure.mean += (value - figure.mean) / static_cast<double>(++figure.cells);
    }
  }
  return lines;
}

}  // namespace spica::experiment
