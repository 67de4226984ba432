// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/sweep/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <random>
#include <set>

#include "platform/observe/report/html_report.h"
#include "platform/observe/report/provenance.h"
#include "platform/studies/sweep/front.h"
#include "platform/studies/sweep/record.h"
#include "platform/studies/sweep/run_fingerprints.h"
#include "platform/studies/sweep/settings.h"
#include "platform/studies/sweep/table.h"
#include "platform/studies/sweep/work.h"

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

json::Value value_of(const config::Operand& operand) {
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
      const std::string label = text_of(config::operand_of(value.label));
      if (used.count(label) == 0) continue;
      labels[i].place(label);
      words.push_back(words_of(sweep, value.settings));
    }
    for (const auto& row : rows.rows)  // points outside of the grid
      if (const std::size_t place = labels[i].place(text_of(row[at])); place == words.size())
        words.push_back(
            axis.keys.size() == 1
                ? words_of(sweep,
                           {setting_of(*sweep.job, axis.keys.front(), text_of(row[at])).value_or(Setting())})
                : std::vector<std::string>());
    axes.push_back({{"name", axis.name}, {"labels", labels[i].list()}, {"words", std::move(words)}});
  }
  return axes;
}

/// A state and a reason for it, how many points have them, and one of those.
struct Failure {
  std::string state, reason;
  std::uint64_t count = 0;
  std::size_t row = 0;
};

/// Most frequent ones first.
std::vector<Failure> failures_of(const Rows& rows) {
  const std::size_t state = rows.column("state"), reason = rows.column("reason");
  std::map<std::pair<std::string, std::string>, Failure> groups;
  for (std::size_t i = 0; i < rows.rows.size(); ++i) {
    const auto& row = rows.rows[i];
    if (text_of(row[state]) == state_name(State::kOk)) continue;
    const auto [found, is_new] = groups.try_emplace({text_of(row[state]), text_of(row[reason])});
    if (is_new) found->second = {found->first.first, found->first.second, 0, i};
    ++found->second.count;
  }
  std::vector<Failure> failures;
  for (auto& [key, failure] : groups) failures.push_back(std::move(failure));
  std::stable_sort(failures.begin(), failures.end(),
                   [](const Failure& a, const Failure& b) { return a.count > b.count; });
  constexpr std::size_t kMost = 1000;
  if (failures.size() > kMost) failures.resize(kMost);
  return failures;
}

/// The rows that the page has: all of them, or of very many the front (of a very long one every n-th point, in the
/// order of its first objective), an example of each failure, and others drawn at random.
std::vector<std::size_t> rows_of_page(const Rows& rows, const Front& front,
                                      const std::vector<Failure>& failures) {
  constexpr std::size_t kMost = 20'000, kMostOfFront = 10'000;
  std::vector<std::size_t> all(rows.rows.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  if (all.size() <= kMost) return all;
  std::set<std::size_t> chosen;
  const std::size_t of_front = std::min(front.rows.size(), kMostOfFront);
  for (std::size_t i = 0; i < of_front; ++i) chosen.insert(front.rows[i * front.rows.size() / of_front]);
  for (const Failure& failure : failures) chosen.insert(failure.row);
  // Drawn, always the same ones: every n-th row may have one value of an axis only.
  std::mt19937_64 random(1);
  for (std::size_t i = 0; chosen.size() < kMost; ++i) {
    std::swap(all[i], all[i + random() % (all.size() - i)]);
    chosen.insert(all[i]);
  }
  return {chosen.begin(), chosen.end()};
}

/// Of a sweep over layers: a point for each machine, with the values of the network; else nothing.
Rows networks_of(const Sweep& sweep, const Rows& rows) {
  if (usual_over(sweep) != Over::kTotal) return {};
  std::vector<std::string> columns;
  for (const std::string& name : rows.columns)
    if (sweep.axis(name) == nullptr && name != "point" && name != "name" && name != "state" &&
        name != "reason" && has_total(rows, name))
      columns.push_back(name);
  return totals_of(sweep, rows, columns);
}

/// A front as the page has it; `place` of a row: where it is among the points of the work.
json::Value front_json(const Front& front, const std::function<json::Value(std::size_t)>& place) {
  const auto places = [&](const std::vector<std::size_t>& rows) {
    auto list = json::Value::array();
    for (const std::size_t row : rows)
      if (json::Value found = place(row); !found.is_null()) list.push_back(std::move(found));
    return list;
  };
  json::Value result{{"front", places(front.rows)},
                     {"front_size", front.rows.size()},
                     {"outside", places(front.outside_rows)},
                     {"open", front.open},
                     {"worse", front.dominated}};
  result["not_apart"] = json::Value::array();
  for (std::size_t i = 0; i < front.not_apart.size(); ++i)
    if (!place(front.rows[i]).is_null()) result["not_apart"].push_back(places(front.not_apart[i]));
  return result;
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
  words.insert(words.begin(), std::string(sweep.job->name));
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
  Front front;  // of each work, all in one
  const Rows networks = networks_of(sweep, rows);
  std::vector<std::pair<WorkGroup, Front>> works, totals;
  data["objectives"] = json::Value::array();
  for (const Objective& one : sweep.objectives)
    if (rows.has(one.column))
      data["objectives"].push_back({{"column", one.column}, {"maximise", one.maximise}});
  if (data["objectives"].size() == sweep.objectives.size() && !sweep.objectives.empty()) {
    for (WorkGroup& group : groups_of(sweep, rows, Over::kEach)) {
      Front own = pareto_front(rows, group.numbers, sweep.objectives, sweep.constraints, 0);
      front.rows.insert(front.rows.end(), own.rows.begin(), own.rows.end());
      front.outside_rows.insert(front.outside_rows.end(), own.outside_rows.begin(), own.outside_rows.end());
      works.emplace_back(std::move(group), std::move(own));
    }
    const bool known =
        std::all_of(sweep.objectives.begin(), sweep.objectives.end(),
                    [&](const Objective& one) { return networks.has(one.column); }) &&
        std::all_of(sweep.constraints.begin(), sweep.constraints.end(), [&](const config::Expression& one) {
          return std::all_of(one.names().begin(), one.names().end(),
                             [&](const std::string& name) { return networks.has(name); });
        });
    if (known)
      for (WorkGroup& group : groups_of(sweep, networks, Over::kTotal)) {
        Front own = pareto_front(networks, group.numbers, sweep.objectives, sweep.constraints, 0);
        totals.emplace_back(std::move(group), std::move(own));
      }
  }
  const std::vector<Failure> failures = failures_of(rows);
  const std::vector<std::size_t> shown = rows_of_page(rows, front, failures);
  data["points"] = json::Value::array();
  for (const std::size_t number : shown) {
    const auto& row = rows.rows[number];
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
  // Rows of the results, as places in "points".
  const auto places_of = [&](const std::vector<std::size_t>& numbers) {
    auto places = json::Value::array();
    for (const std::size_t number : numbers)
      if (const auto found = std::lower_bound(shown.begin(), shown.end(), number);
          found != shown.end() && *found == number)
        places.push_back(found - shown.begin());
    return places;
  };
  data["front"] = places_of(front.rows);
  data["front_size"] = front.rows.size();  // also of points that the page does not have
  data["outside"] = places_of(front.outside_rows);
  data["works"] = json::Value::array();
  for (const auto& [group, own] : totals) {
    json::Value work = front_json(own, [&numbers = group.numbers](std::size_t row) {
      return json::Value(std::find(numbers.begin(), numbers.end(), row) - numbers.begin());
    });
    work["name"] = fmt::format("the network{}{}", group.name.empty() ? "" : ", ", group.name);
    work["text"] = total_text(sweep);
    work["rows"] = json::Value::array();
    for (const std::size_t row : group.numbers) {
      json::Value line{{"name", machine_text(sweep, networks, row, ", ")},
                       {"state", text_of(networks.rows[row][networks.column("state")])}};
      line["values"] = json::Value::array();
      for (const json::Value& column : data["columns"])
        line["values"].push_back(
            networks.has(column.get<std::string>())
                ? value_of(networks.rows[row][networks.column(column.get<std::string>())])
                : json::Value());
      work["rows"].push_back(std::move(line));
    }
    data["works"].push_back(std::move(work));
  }
  for (const auto& [group, own] : works) {
    const auto place = [&](std::size_t number) {
      const auto found = places_of({number});
      return found.empty() ? json::Value() : found.at(0);
    };
    json::Value work = front_json(own, place);
    work["name"] = group.name;
    if (works.size() > 1) work["places"] = places_of(group.numbers);  // else all
    data["works"].push_back(std::move(work));
  }
  data["intervals"] = kIntervalsText;
  data["failures"] = json::Value::array();
  for (const Failure& one : failures)
    data["failures"].push_back({{"state", one.state},
                                {"reason", one.reason},
                                {"count", one.count},
                                {"example", places_of({one.row}).at(0)}});
  data["states"] = states.list();
  data["reasons"] = reasons.list();
  data["summary"] = footnote(rows);
  data["all"] = rows.rows.size();
  report::write_html_page(file, (sweep.title.empty() ? sweep.name : sweep.title), data,
                          {"theme.js", "charts.js", "axis_charts.js", "sweep_charts.js", "sweep.js"});
}

}  // namespace spica::sweep
