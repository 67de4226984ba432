// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/sweep/table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "platform/base/input/printable.h"
#include "platform/base/input/user_error.h"
#include "platform/base/text/number_format.h"
#include "platform/observe/report/csv.h"
#include "platform/observe/report/text_table.h"
#include "platform/studies/sweep/record.h"
#include "platform/studies/sweep/work.h"
#include "platform/workloads/timed_region.h"

namespace spica::sweep {

namespace {

config::Expression::Lookup lookup(const Rows& rows, const std::vector<config::Operand>& row) {
  return [&rows, &row](const std::string& name) { return row[rows.column(name)]; };
}

bool has_result(const Rows& rows, const std::vector<config::Operand>& row) {
  return text_of(row[rows.column("state")]) == state_name(State::kOk);
}

/// A number for people: as many digits as it has, at most six behind the point.
std::string shown(const config::Operand& value) {
  const double* number = std::get_if<double>(&value);
  if (number == nullptr) return text_of(value);
  if (std::floor(*number) == *number && std::fabs(*number) < 1e15)
    return *number < 0 ? "-" + text::grouped(static_cast<std::uint64_t>(-*number))
                       : text::grouped(static_cast<std::uint64_t>(*number));
  return fmt::format("{:.4g}", *number);
}

/// Titles and rows of text in one of the formats.
class Writer {
 public:
  Writer(std::string format, std::vector<std::string> titles, std::size_t left)
      : format_(std::move(format)), titles_(std::move(titles)), left_(left) {}

  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  bool for_people() const { return format_ != "csv"; }

  std::string text() const {
    if (format_ == "text") {
      std::vector<report::TextTable::Column> columns;
      for (std::size_t i = 0; i < titles_.size(); ++i)
        columns.push_back(
            {titles_[i], i < left_ ? report::TextTable::Align::kLeft : report::TextTable::Align::kRight});
      report::TextTable table(columns);
      for (const auto& row : rows_) table.add(row);
      return table.text();
    }
    std::string text = line(titles_);
    if (format_ == "markdown") {
      std::vector<std::string> rules;
      for (std::size_t i = 0; i < titles_.size(); ++i) rules.emplace_back(i < left_ ? "---" : "---:");
      text += line(rules);
    }
    for (const auto& row : rows_) text += line(row);
    return text;
  }

 private:
  std::string line(const std::vector<std::string>& cells) const {
    if (format_ == "markdown") return fmt::format("| {} |\n", fmt::join(cells, " | "));
    std::string text;
    for (std::size_t i = 0; i < cells.size(); ++i)
      text +=
          (i == 0 ? "" : ",") +
          (cells[i].find_first_of(",\"\n") == std::string::npos ? cells[i] : report::csv_quoted(cells[i]));
    return text + "\n";
  }

  const std::string format_;
  const std::vector<std::string> titles_;
  const std::size_t left_;  // columns that are words
  std::vector<std::vector<std::string>> rows_;
};

/// The labels of an axis in its order, then those of points outside of the grid.
std::vector<std::string> labels_of(const Sweep& sweep, const Rows& rows, const std::string& name) {
  std::vector<std::string> labels;
  const std::size_t column = rows.column(name);
  const auto add = [&](const std::string& label) {
    if (std::find(labels.begin(), labels.end(), label) == labels.end()) labels.push_back(label);
  };
  if (const Axis* axis = sweep.axis(name))
    for (const AxisValue& value : axis->values) add(text_of(config::operand_of(value.label)));
  for (const auto& row : rows.rows) add(text_of(row[column]));
  labels.erase(std::remove_if(labels.begin(), labels.end(),
                              [&](const std::string& label) {
                                return std::none_of(rows.rows.begin(), rows.rows.end(), [&](const auto& row) {
                                  return text_of(row[column]) == label;
                                });
                              }),
               labels.end());
  return labels;
}

/// Both were timed alike, as far as it is known.
bool timed_alike(const Rows& rows, const std::vector<config::Operand>& a,
                 const std::vector<config::Operand>& b) {
  return !rows.has(kWindow) || a[rows.column(kWindow)] == b[rows.column(kWindow)];
}
constexpr const char* kOtherRegion = "other region";

std::string pivot_text(const Sweep& sweep, const Rows& rows, const TableOptions& options) {
  if (options.values.size() != 1)
    throw input::UserError(
        "a table of --rows and --columns needs exactly "
        "one --value");
  const std::size_t row_at = rows.column(options.rows), column_at = rows.column(options.columns);
  const std::size_t value_at = rows.column(options.values.front());
  std::map<std::pair<std::string, std::string>, const std::vector<config::Operand>*> cells;
  for (const auto& row : rows.rows) {
    const auto [found, is_new] =
        cells.emplace(std::pair(text_of(row[row_at]), text_of(row[column_at])), &row);
    if (is_new) continue;
    for (const Axis& axis : sweep.axes) {
      const std::size_t at = rows.column(axis.name);
      if (axis.name == options.rows || axis.name == options.columns || row[at] == (*found->second)[at])
        continue;
      const bool word = std::holds_alternative<std::string>(row[at]);
      throw input::UserError(fmt::format(
          "several points belong in one cell: they differ in {}; --where '{} == {}' chooses one of them",
          axis.name, axis.name, word ? '"' + text_of(row[at]) + '"' : text_of(row[at])));
    }
  }
  const std::vector<std::string> columns = labels_of(sweep, rows, options.columns);
  const std::vector<std::string> work = names_of_work(sweep);
  if (!options.ratio_to.empty() && std::find(work.begin(), work.end(), options.columns) != work.end())
    throw input::UserError(fmt::format(
        "--ratio-to \"{}\": the values of {} are different work, but a ratio needs points that compute the "
        "same; use --rows {} and other columns",
        options.ratio_to, options.columns, options.columns));
  if (!options.ratio_to.empty() &&
      std::find(columns.begin(), columns.end(), options.ratio_to) == columns.end())
    throw input::UserError(fmt::format("--ratio-to \"{}\": {} has {}", options.ratio_to, options.columns,
                                       fmt::join(columns, ", ")));
  std::vector<std::string> titles{options.rows};
  titles.insert(titles.end(), columns.begin(), columns.end());
  Writer writer(options.format, titles, 1);
  for (const std::string& label : labels_of(sweep, rows, options.rows)) {
    std::vector<std::string> line{label};
    const auto base = cells.find({label, options.ratio_to});
    for (const std::string& column : columns) {
      const auto cell = cells.find({label, column});
      if (cell == cells.end()) {
        line.emplace_back("-");
        continue;
      }
      const std::vector<config::Operand>& row = *cell->second;
      const config::Operand& value = row[value_at];
      if (!has_result(rows, row)) line.push_back(text_of(row[rows.column("state")]));
      else if (options.ratio_to.empty()) line.push_back(writer.for_people() ? shown(value) : text_of(value));
      else if (base == cells.end() || !has_result(rows, *base->second)) line.emplace_back("no base");
      else if (!timed_alike(rows, row, *base->second)) line.emplace_back(kOtherRegion);
      else line.push_back(fmt::format("{:.3f}", number_of(value) / number_of((*base->second)[value_at])));
    }
    writer.add(line);
  }
  return writer.text();
}

/// The place of the row that differs from `row` only in the baseline's axes; nothing: there is none with a result.
std::optional<std::size_t> base_of(const Sweep& sweep, const Rows& rows,
                                   const std::vector<config::Operand>& row) {
  for (std::size_t i = 0; i < rows.rows.size(); ++i) {
    const bool fits = std::all_of(sweep.axes.begin(), sweep.axes.end(), [&](const Axis& axis) {
      const auto base = sweep.baseline.find(axis.name);
      const std::size_t at = rows.column(axis.name);
      return base == sweep.baseline.end() ? rows.rows[i][at] == row[at]
                                          : rows.rows[i][at] == config::operand_of(base->second);
    });
    if (fits) return has_result(rows, rows.rows[i]) ? std::optional(i) : std::nullopt;
  }
  return std::nullopt;
}

/// " (5.1 to 9.2)", of a value with ends.
std::string interval_text(const Rows& rows, const std::vector<config::Operand>& row,
                          const std::string& column) {
  if (!rows.has(column + kLow) || !rows.has(column + kHigh)) return {};
  return fmt::format(" ({:.3g} to {:.3g})", number_of(row[rows.column(column + kLow)]),
                     number_of(row[rows.column(column + kHigh)]));
}

std::string list_text(const Sweep& sweep, const Rows& all, const Rows& rows, const TableOptions& options) {
  std::vector<std::string> titles;
  for (const char* name : {"point", "name"})
    if (rows.has(name)) titles.emplace_back(name);
  for (const Axis& axis : sweep.axes) titles.push_back(axis.name);
  if (rows.has("model")) titles.emplace_back("model");
  titles.emplace_back("state");
  const std::size_t left = titles.size();
  std::vector<std::size_t> columns;
  for (const std::string& title : titles) columns.push_back(rows.column(title));
  std::vector<bool> is_ratio(columns.size(), false);
  for (const std::string& value : options.values) {
    columns.push_back(rows.column(value));
    titles.push_back(value);
    is_ratio.push_back(false);
    if (sweep.baseline.empty()) continue;
    columns.push_back(rows.column(value));
    titles.push_back(value + " ratio");
    is_ratio.push_back(true);
  }
  for (const std::string& name : options.more) {
    columns.push_back(rows.column(name));
    titles.push_back(name);
    is_ratio.push_back(false);
  }
  const std::size_t reason = rows.column("reason");
  const bool with_reasons = std::any_of(rows.rows.begin(), rows.rows.end(),
                                        [&](const auto& row) { return !text_of(row[reason]).empty(); });
  if (with_reasons) {
    titles.emplace_back("reason");
    columns.push_back(reason);
    is_ratio.push_back(false);
  }
  Writer writer(options.format, titles, left);
  for (const auto& row : rows.rows) {
    std::vector<std::string> line;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const config::Operand& value = row[columns[i]];
      if (!is_ratio[i]) {
        line.push_back(!writer.for_people() || i < left ? text_of(value)
                       : options.intervals              ? shown(value) + interval_text(rows, row, titles[i])
                                                        : shown(value));
        continue;
      }
      const auto base = base_of(sweep, all, row);
      const bool known = base && has_result(rows, row);
      if (known && !timed_alike(all, row, all.rows[*base])) line.emplace_back(kOtherRegion);
      else
        line.push_back(
            known ? fmt::format("{:.3f}", number_of(value) / number_of(all.rows[*base][columns[i]])) : "");
    }
    writer.add(line);
  }
  return writer.text();
}

void sort_rows(Rows& rows, const std::string& sort) {
  const bool down = sort.front() == '-';
  const std::size_t at = rows.column(down ? sort.substr(1) : sort);
  std::stable_sort(rows.rows.begin(), rows.rows.end(),
                   [&](const auto& a, const auto& b) { return down ? b[at] < a[at] : a[at] < b[at]; });
}

}  // namespace

Rows filtered(Rows rows, const std::string& where) {
  if (where.empty()) return rows;
  const config::Expression condition(where);
  Rows result{rows.columns, {}};
  for (const auto& row : rows.rows)
    if (condition.holds(lookup(rows, row))) result.rows.push_back(row);
  return result;
}

std::string footnote(const Rows& rows) {
  std::map<std::string, std::size_t> states;
  for (const auto& row : rows.rows) ++states[text_of(row[rows.column("state")])];
  std::string text = fmt::format("{} points", text::grouped(rows.rows.size()));
  for (const auto& [state, count] : states)
    text +=
        fmt::format("{} {} {}", &state == &states.begin()->first ? ":" : ",", text::grouped(count), state);
  return text + region_notes(rows) + energy_notes(rows);
}

namespace {

/// What comes before the first load, where it is a long part of some points and another one of others.
std::string lead_note(const Rows& rows) {
  if (!rows.has(kLead)) return "";
  const bool has_cycles = rows.has("cycles");
  struct Lead {
    double cycles = 0, part = 0;  // in percent of all; as many where these are not known
  };
  std::vector<Lead> leads;
  bool is_long = false;
  for (const auto& row : rows.rows) {
    const double* lead = std::get_if<double>(&row[rows.column(kLead)]);
    const double* cycles = has_cycles ? std::get_if<double>(&row[rows.column("cycles")]) : nullptr;
    if (lead == nullptr || (has_cycles && cycles == nullptr)) continue;
    leads.push_back({*lead, has_cycles ? workloads::lead_percent(*lead, *cycles) : *lead});
    is_long |= !has_cycles || workloads::is_long_lead(*lead, *cycles);
  }
  if (!is_long) return "";
  const auto [least, most] = std::minmax_element(
      leads.begin(), leads.end(), [](const Lead& a, const Lead& b) { return a.part < b.part; });
  const auto text = [&](const Lead& one) {
    const std::string number = text::grouped(static_cast<std::uint64_t>(one.cycles)) + " cycles";
    return has_cycles ? fmt::format("{} ({:.1f} %)", number, one.part) : number;
  };
  if (leads.size() == 1) return fmt::format("\nset-up before the first load: {}, {}", text(*most), kLead);
  return fmt::format("\nset-up before the first load is in the cycles: {} to {}, {}", text(*least),
                     text(*most), kLead);
}

}  // namespace

std::string region_notes(const Rows& rows) {
  if (!rows.has(kWindow)) return "";
  std::string lead = lead_note(rows);
  std::map<std::string, std::size_t> windows;
  for (const auto& row : rows.rows)
    if (const std::string window = text_of(row[rows.column(kWindow)]); !window.empty()) ++windows[window];
  if (windows.empty() || (windows.size() == 1 && windows.begin()->first == workloads::kResultsWindow))
    return lead;
  std::string text;
  for (const auto& [window, points] : windows)
    text += fmt::format("\ntimed region of {} points: {}, {}", text::grouped(points), window,
                        workloads::window_text(window));
  if (windows.size() > 1) text += "\nresults of different regions do not compare";
  return text + lead;
}

std::string energy_notes(const Rows& rows) {
  if (!rows.has(kEnergyNotes)) return "";
  std::map<std::string, std::size_t> notes;
  for (const auto& row : rows.rows)
    for (std::string rest = text_of(row[rows.column(kEnergyNotes)]); !rest.empty();) {
      const std::size_t end = std::min(rest.find("; "), rest.size());
      ++notes[rest.substr(0, end)];
      rest.erase(0, std::min(end + 2, rest.size()));
    }
  constexpr std::size_t kMost = 8;
  std::string text;
  std::size_t shown = 0;
  for (const auto& [note, points] : notes) {
    if (++shown > kMost) break;
    text += fmt::format("\nenergy of {} points: {}", text::grouped(points), input::printable(note));
  }
  if (notes.size() > kMost)
    text += fmt::format("\nand {} more in the column {} of results.csv", notes.size() - kMost, kEnergyNotes);
  return text;
}

namespace {

/// The rows of the whole network, with the values that have a total.
Rows network_rows(const Sweep& sweep, const Rows& rows, const std::vector<std::string>& values) {
  std::vector<std::string> columns;
  const auto add = [&](const std::string& name) {
    if (rows.has(name) && std::find(columns.begin(), columns.end(), name) == columns.end())
      columns.push_back(name);
  };
  for (const std::string& value : values) add(value);
  for (const char* name : {kWindow, kLead, kEnergyNotes, kEnergyTable}) add(name);
  return totals_of(sweep, rows, columns);
}

std::string network_text(const Sweep& sweep, const Rows& rows, TableOptions options, bool is_asked_for) {
  std::vector<std::string> unknown;
  const auto has_none = [&](const std::string& value) {
    if (is_asked_for || has_total(rows, value)) return false;
    unknown.push_back(value);
    return true;
  };
  options.values.erase(std::remove_if(options.values.begin(), options.values.end(), has_none),
                       options.values.end());
  Rows totals = network_rows(sweep, rows, options.values);
  const std::string by =
      options.sort.empty() || options.sort.front() != '-' ? options.sort : options.sort.substr(1);
  if (!by.empty() && totals.has(by)) sort_rows(totals, options.sort);
  std::string text = list_text(sweep, totals, totals, options);
  if (options.format == "csv") return text;
  text += "\n" + total_text(sweep) + "\n";
  if (!unknown.empty()) text += fmt::format("Not available for a network: {}\n", fmt::join(unknown, ", "));
  return text;
}

}  // namespace

std::string table_text(const Sweep& sweep, const Rows& all, const TableOptions& options) {
  Rows rows = filtered(all, options.where);
  if (options.rows.empty() != options.columns.empty())
    throw input::UserError("give both --rows and --columns");
  const Axis* const layers = layer_axis(sweep);
  const bool is_total = options.work == "total", is_each = options.work == "each" || layers == nullptr;
  if (!options.rows.empty()) {
    const bool shows_layers =
        layers != nullptr && (options.rows == layers->name || options.columns == layers->name);
    if (is_total || (!is_each && !shows_layers)) rows = network_rows(sweep, rows, options.values);
    if (!options.sort.empty()) sort_rows(rows, options.sort);
    return pivot_text(sweep, rows, options);
  }
  if (is_total) return network_text(sweep, rows, options, true);
  if (!options.sort.empty()) sort_rows(rows, options.sort);
  std::string text = list_text(sweep, all, rows, options);
  if (!is_each && options.format != "csv") text += "\n" + network_text(sweep, rows, options, false);
  return text;
}

}  // namespace spica::sweep
