// SPDX-License-Identifier: Apache-2.0
// `spica sweep pareto`: the points that no other one is better than.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "platform/base/input/printable.h"
#include "platform/base/input/user_error.h"
#include "platform/cli/paths.h"
#include "platform/cli/sweep_command.h"
#include "platform/studies/sweep/front.h"
#include "platform/studies/sweep/open_sweep.h"
#include "platform/studies/sweep/table.h"
#include "platform/studies/sweep/work.h"

namespace spica::cli {

namespace {

struct ParetoOptions {
  std::string given, dir;
  bool json = false;
  std::vector<std::string> objectives;  // NAME:min
  double epsilon = 0;
  std::string where, work;
};

std::vector<sweep::Objective> objectives_of(const sweep::OpenSweep& open,
                                            const std::vector<std::string>& given) {
  if (given.empty()) {
    if (open.sweep().objectives.empty())
      throw input::UserError(
          "the sweep has no objectives; add some, for example --objective cycles:min --objective total_energy_uj:min");
    return open.sweep().objectives;
  }
  std::vector<sweep::Objective> objectives;
  for (const std::string& text : given) {
    const std::size_t colon = text.rfind(':');
    const std::string direction = colon == std::string::npos ? "" : text.substr(colon + 1);
    if (direction != "min" && direction != "max")
      throw input::UserError(fmt::format("--objective \"{}\": expected NAME:min or NAME:max", text));
    objectives.push_back({text.substr(0, colon), direction == "max"});
  }
  return objectives;
}

/// The rows that fronts are taken of: those of the points, or, of layers, those of the network.
struct Candidates {
  sweep::Over over;
  sweep::Rows rows;
  std::vector<sweep::WorkGroup> groups;
};

Candidates candidates_of(const sweep::OpenSweep& open, const std::vector<sweep::Objective>& objectives,
                         const ParetoOptions& options) {
  const sweep::Sweep& sweep = open.sweep();
  std::vector<std::string> needed{"point", "state", "reason"};
  for (const sweep::Axis& axis : sweep.axes) needed.push_back(axis.name);
  std::vector<std::string> results, ends;
  for (const sweep::Objective& objective : objectives) {
    results.push_back(objective.column);
    for (const char* end : {sweep::kLow, sweep::kHigh}) ends.push_back(objective.column + end);
  }
  for (const config::Expression& constraint : sweep.constraints)
    for (const std::string& name : constraint.names())
      if (sweep.axis(name) == nullptr) results.push_back(name);
  needed.insert(needed.end(), results.begin(), results.end());
  if (!options.where.empty()) {
    const config::Expression condition(options.where);
    needed.insert(needed.end(), condition.names().begin(), condition.names().end());
  }
  if (!sweep.also.empty()) needed.emplace_back("name");
  std::vector<std::string> also = ends;
  also.insert(also.end(),
              {sweep::kEnergyNotes, sweep::kEnergyTable, sweep::kWindow, sweep::kLead, sweep::kMultiplyAdds,
               "cycles", "total_energy_uj", "total_energy_uj_low", "total_energy_uj_high"});
  Candidates found;
  found.over = options.work.empty()      ? usual_over(sweep)
               : options.work == "total" ? sweep::Over::kTotal
                                         : sweep::Over::kEach;
  found.rows = sweep::filtered(sweep::rows_of(open, needed, also), options.where);
  if (found.over == sweep::Over::kTotal) {
    std::vector<std::string> columns = results;
    for (const auto* names : {&ends, &also})
      for (const std::string& name : *names)
        if (found.rows.has(name) && std::find(columns.begin(), columns.end(), name) == columns.end())
          columns.push_back(name);
    found.rows = totals_of(sweep, found.rows, columns);
  }
  found.groups = groups_of(sweep, found.rows, found.over);
  const bool all_alone = std::all_of(found.groups.begin(), found.groups.end(),
                                     [](const auto& group) { return group.numbers.size() < 2; });
  if (found.groups.size() > 1 && all_alone)
    throw input::UserError(fmt::format(
        "the points compute different work ({}), but a front compares points with the same work; `work` in "
        "the file names the axes that change the work",
        found.groups.front().name + "; " + found.groups.back().name));
  return found;
}

/// A point, or a machine of which a total is.
std::string name_of(const sweep::Sweep& sweep, const sweep::Rows& rows, std::size_t row) {
  const config::Operand& point = rows.rows[row][rows.column("point")];
  if (std::string number = sweep::text_of(point); !number.empty()) return number;
  return sweep::machine_text(sweep, rows, row, " ");
}

json::Value front_json(const sweep::Sweep& sweep, const sweep::Rows& rows, const sweep::Front& front,
                       const std::vector<sweep::Objective>& objectives) {
  auto document = json::Value::array();
  for (std::size_t i = 0; i < front.rows.size(); ++i) {
    const auto& row = rows.rows[front.rows[i]];
    json::Value line;
    for (std::size_t column = 0; column < rows.columns.size(); ++column) {
      const std::string& name = rows.columns[column];
      const bool is_shown = sweep.axis(name) != nullptr || name == "point" ||
                            std::any_of(objectives.begin(), objectives.end(), [&](const auto& one) {
                              return name == one.column || name == one.column + sweep::kLow ||
                                     name == one.column + sweep::kHigh;
                            });
      if (!is_shown) continue;
      if (const double* number = std::get_if<double>(&row[column])) line[name] = *number;
      else line[name] = sweep::text_of(row[column]);
    }
    if (front.has_intervals) {
      line["not_apart_from"] = json::Value::array();
      for (const std::size_t other : front.not_apart[i])
        line["not_apart_from"].push_back(name_of(sweep, rows, other));
    }
    document.push_back(std::move(line));
  }
  return document;
}

/// The front as a table, energies with what they may be, and which of the others a point cannot be distinguished from.
std::string front_text(const sweep::Sweep& sweep, const sweep::Rows& rows, const sweep::Front& front,
                       const std::vector<sweep::Objective>& objectives) {
  constexpr const char* kOthers = "not distinct from";
  sweep::Rows chosen{rows.columns, {}};
  chosen.columns.emplace_back(kOthers);
  for (std::size_t i = 0; i < front.rows.size(); ++i) {
    const auto& row = rows.rows[front.rows[i]];
    std::vector<config::Operand>& line = chosen.rows.emplace_back(row);
    std::vector<std::string> others;
    constexpr std::size_t kMost = 6;
    for (const std::size_t other : front.not_apart[i]) {
      if (others.size() == kMost) {
        others.push_back(fmt::format("{} more", front.not_apart[i].size() - kMost));
        break;
      }
      others.push_back(name_of(sweep, rows, other));
    }
    line.emplace_back(fmt::format("{}", fmt::join(others, ", ")));
  }
  sweep::TableOptions table;
  for (const sweep::Objective& objective : objectives) table.values.push_back(objective.column);
  table.intervals = true;
  table.work = "each";  // the rows are of a network already, where they are
  if (front.has_intervals) table.more.emplace_back(kOthers);
  std::string text = sweep::table_text(sweep, chosen, table);
  text += fmt::format("\n{} the front; {} worse, {} a constraint, {} no result",
                      front.rows.size() == 1 ? "1 point is" : fmt::format("{} points are", front.rows.size()),
                      front.dominated == 1 ? "1 is" : fmt::format("{} are", front.dominated),
                      front.outside == 1 ? "1 misses" : fmt::format("{} miss", front.outside),
                      front.failed == 1 ? "1 has" : fmt::format("{} have", front.failed));
  if (front.ties != 0)
    text += fmt::format("; {} with another point of the front",
                        front.ties == 1 ? "1 ties" : fmt::format("{} tie", front.ties));
  if (front.open != 0)
    text += fmt::format("; {} of the worse ones may be as good, because their energy intervals overlap",
                        front.open);
  if (front.too_long) text += "; too many points to compare their energy intervals pairwise";
  return text + '\n';
}

int run_pareto(const ParetoOptions& options) {
  const sweep::OpenSweep open(options.given, options.dir, places());
  const std::vector<sweep::Objective> objectives = objectives_of(open, options.objectives);
  const Candidates found = candidates_of(open, objectives, options);
  auto document = json::Value::array();
  sweep::Rows shown{found.rows.columns, {}};
  bool has_intervals = false;
  for (const sweep::WorkGroup& group : found.groups) {
    const sweep::Front front =
        pareto_front(found.rows, group.numbers, objectives, open.sweep().constraints, options.epsilon);
    has_intervals |= front.has_intervals;
    for (const std::size_t row : front.rows) shown.rows.push_back(found.rows.rows[row]);
    if (options.json) {
      for (json::Value& line : front_json(open.sweep(), found.rows, front, objectives))
        document.push_back(std::move(line));
      continue;
    }
    if (!group.name.empty()) fmt::print("{}:\n", input::printable(group.name));
    fmt::print("{}{}", front_text(open.sweep(), found.rows, front, objectives),
               &group == &found.groups.back() ? "" : "\n");
  }
  if (options.json) {
    fmt::print("{}\n", document.dump(2));
    return 0;
  }
  if (found.over == sweep::Over::kTotal)
    fmt::print("{}\n", input::printable(sweep::total_text(open.sweep())));
  else if (const auto work = names_of_work(open.sweep()); found.groups.size() > 1)
    fmt::print("Points of different {} are not compared.\n",
               work.empty() ? "work or regions" : fmt::format("{}", fmt::join(work, ", ")));
  if (has_intervals) fmt::print("{}\n", sweep::kIntervalsText);
  const std::string notes = sweep::region_notes(shown) + sweep::energy_notes(shown);
  if (!notes.empty()) fmt::print("{}\n", notes.substr(1));  // each begins with a new line
  return 0;
}

}  // namespace

void add_sweep_pareto_command(Command& command) {
  command.add("pareto", "print the Pareto front", [](Command& inner) {
    auto options = std::make_shared<ParetoOptions>();
    add_results(inner, options->given, options->dir);
    inner
        .option("--objective", options->objectives,
                "NAME:min or NAME:max, may be repeated (default: those of the file)")
        .repeats();
    inner.option("--epsilon", options->epsilon, "relative difference that counts as equal").shows_default();
    inner.option("--where", options->where, "only points for which this condition holds");
    inner
        .option(
            "--work", options->work,
            "each: a front per size, layer or sequence. total: one of the whole network (default: total for layers)")
        .one_of({"each", "total"});
    inner.flag("--json", options->json, "print JSON");
    inner.action([options](const std::vector<std::string>&) { return run_pareto(*options); });
  });
}

}  // namespace spica::cli
