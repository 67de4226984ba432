// SPDX-License-Identifier: Apache-2.0
#include "platform/sweep/page.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "platform/report/html_report.h"
#include "platform/report/provenance.h"
#include "platform/sweep/point_key.h"
#include "platform/sweep/table.h"

namespace spica::sweep {

namespace {

/// A list of texts in which each is once.
class Texts {
 public:
  std::size_t place(const std::string& text) {
    const auto [found, is_new] = places_.try_emplace(text, list_.size());
    if (is_new) list_.push_back(text);
    return found->second;
  }
  const json::Value& list() const { return list_; }

 private:
  std::map<std::string, std::size_t> places_;
  json::Value list_ = json::Value::array();
};

json::Value value_of(const Operand& operand) {
  if (const double* number = std::get_if<double>(&operand)) return *number;
  if (const std::string* text = std::get_if<std::string>(&operand)) return *text;
  return nullptr;
}

/// The words of a command line that the settings add.
std::vector<std::string> words_of(const Sweep& sweep, const std::vector<Setting>& settings) {
  Sweep only;
  only.job = sweep.job;
  only.fixed = settings;
  std::vector<std::string> words = command_of(only, Point{}, 0);
  words.erase(words.begin());
  return words;
}

json::Value axes_json(const Sweep& sweep, const Rows& rows, std::vector<Texts>& labels) {
  auto axes = json::Value::array();
  for (std::size_t i = 0; i < sweep.axes.size(); ++i) {
    const Axis& axis = sweep.axes[i];
    const std::size_t at = rows.column(axis.name);
    std::set<std::string> used;
    for (const auto& row : rows.rows) used.insert(text_of(row[at]));
    auto words = json::Value::array();
    for (const AxisValue& value : axis.values) {
      const std::string label = text_of(operand_of(value.label));
      if (used.count(label) == 0) continue;
      labels[i].place(label);
      words.push_back(words_of(sweep, value.settings));
    }
    for (const auto& row : rows.rows)  // points outside of the grid
      if (const std::size_t place = labels[i].place(text_of(row[at])); place == words.size())
        words.push_back(axis.keys.size() == 1 ? words_of(sweep, {{axis.keys.front(), text_of(row[at])}})
                                              : std::vector<std::string>());
    axes.push_back({{"name", axis.name}, {"labels", labels[i].list()}, {"words", std::move(words)}});
  }
  return axes;
}

}  // namespace

void write_page(const Plan& plan, const Rows& rows, const std::filesystem::path& folder,
                const std::string& file) {
  const Sweep& sweep = plan.sweep();
  std::vector<Texts> labels(sweep.axes.size());
  Texts states, reasons;
  json::Value data;
  data["name"] = sweep.name;
  data["title"] = sweep.title;
  data["version"] = report::version_text();
  data["model"] = model_text();
  data["folder"] = folder.string();
  data["text"] = sweep.text;
  std::vector<std::string> words = words_of(sweep, sweep.fixed);
  words.insert(words.begin(), job_name(sweep.job));
  data["words"] = words;
  data["axes"] = axes_json(sweep, rows, labels);
  std::vector<std::size_t> columns;
  data["columns"] = json::Value::array();
  for (std::size_t i = 0; i < rows.columns.size(); ++i) {
    const std::string& name = rows.columns[i];
    if (sweep.axis(name) != nullptr || name == "point" || name == "name" || name == "state" ||
        name == "reason" || name == "model")
      continue;
    columns.push_back(i);
    data["columns"].push_back(name);
  }
  data["points"] = json::Value::array();
  for (const auto& row : rows.rows) {
    auto own_labels = json::Value::array(), values = json::Value::array();
    for (std::size_t i = 0; i < sweep.axes.size(); ++i)
      own_labels.push_back(labels[i].place(text_of(row[rows.column(sweep.axes[i].name)])));
    for (const std::size_t i : columns) values.push_back(value_of(row[i]));
    auto line = json::Value::array();
    line.push_back(value_of(row[rows.column("point")]));
    line.push_back(std::move(own_labels));
    line.push_back(states.place(text_of(row[rows.column("state")])));
    line.push_back(reasons.place(text_of(row[rows.column("reason")])));
    line.push_back(std::move(values));
    data["points"].push_back(std::move(line));
  }
  data["states"] = states.list();
  data["reasons"] = reasons.list();
  data["objectives"] = json::Value::array();
  for (const Objective& one : sweep.objectives)
    if (rows.has(one.column))
      data["objectives"].push_back({{"column", one.column}, {"maximise", one.maximise}});
  data["front"] = json::Value::array();
  data["outside"] = json::Value::array();
  if (data["objectives"].size() == sweep.objectives.size() && !sweep.objectives.empty()) {
    const Front front = pareto_front(rows, sweep.objectives, sweep.constraints, 0);
    data["front"] = front.rows;
    data["outside"] = front.outside_rows;
  }
  report::write_html_page(file, (sweep.title.empty() ? sweep.name : sweep.title), data,
                          {"theme.js", "charts.js", "sweep_charts.js", "sweep.js"});
}

}  // namespace spica::sweep
