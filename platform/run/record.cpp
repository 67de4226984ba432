// SPDX-License-Identifier: Apache-2.0
#include "platform/run/record.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
#include <sstream>

#include "platform/base/input/user_error.h"
#include "platform/base/text/pattern.h"
#include "platform/observe/report/statistics.h"
#include "platform/run/job_options.h"
#include "platform/run/results.h"

namespace spica::job {

namespace {

using Json = json::Value;

/// The number of an entry of the tree; nothing: it is a block, or a cycle account.
void add_number(const Json& entry, std::vector<double>& numbers) {
  for (const char* name : {"in_region", "value"})
    if (const auto found = entry.find(name); found != entry.end() && found->is_number())
      return numbers.push_back(found->get<double>());
}

/// All numbers whose path fits `parts` from part `first` on.
void find_numbers(const Json& tree, const std::vector<std::string>& parts, std::size_t first,
                  std::vector<double>& numbers) {
  if (!tree.is_object()) return;
  if (first == parts.size()) return add_number(tree, numbers);
  if (parts[first].find_first_of("*?[") == std::string::npos) {
    if (const auto found = tree.find(parts[first]); found != tree.end())
      find_numbers(*found, parts, first + 1, numbers);
    return;
  }
  for (const auto& [name, inner] : tree.items())
    if (fnmatch(parts[first].c_str(), name.c_str(), 0) == 0) find_numbers(inner, parts, first + 1, numbers);
}

/// Counts stay whole numbers.
Json number(double value) {
  if (value >= 0 && value < 9.0e15 && value == static_cast<double>(static_cast<std::uint64_t>(value)))
    return static_cast<std::uint64_t>(value);
  return value;
}

/// True for an entry of `keep` that is computed from block statistics.
bool is_statistic(const std::string& entry) { return entry.find("stats.") != std::string::npos; }

/// True for a value that repeats the request.
bool repeats_request(const std::string& name) {
  static const std::set<std::string> names{"mode", "design", "size", "seed", "end", "exit_code", "timed"};
  return names.count(name) != 0;
}

}  // namespace

Json kept_value(const Json& stats, const std::string& entry) {
  static const text::Pattern form(R"((?:(sum|min|max|mean)\()?stats\.([^()\s]+?)(\))?)");
  const auto match = form.match(entry);
  if (!match || match->at(1).empty() != match->at(3).empty())
    throw input::UserError(fmt::format(
        "\"{}\" is not a value of a run: use a path like stats.l2.read_misses, or sum(...), min(...), max(...) or "
        "mean(...) of one with * in it",
        entry));
  std::vector<std::string> parts;
  std::istringstream path(match->at(2));
  for (std::string part; std::getline(path, part, '.');) parts.push_back(part);
  std::vector<double> numbers;
  find_numbers(stats, parts, 0, numbers);
  if (numbers.empty()) return nullptr;
  const std::string& function = match->at(1);
  if (function.empty()) {
    if (numbers.size() > 1)
      throw input::UserError(
          fmt::format("\"{}\" matches {} values; use sum({}) for their sum", entry, numbers.size(), entry));
    return number(numbers.front());
  }
  if (function == "min") return number(*std::min_element(numbers.begin(), numbers.end()));
  if (function == "max") return number(*std::max_element(numbers.begin(), numbers.end()));
  const double sum = std::accumulate(numbers.begin(), numbers.end(), 0.0);
  return number(function == "sum" ? sum : sum / static_cast<double>(numbers.size()));
}

namespace {

/// The single values of a document's part about the whole run.
Json single_values(const Json& all) {
  Json values = Json::object();
  for (const auto& [name, value] : all.items())
    if (value.is_primitive()) values[name] = value;
  for (const char* group : {"printed", "samples", "sample"})
    if (const auto found = all.find(group); found != all.end())
      for (const auto& [name, value] : found->items())
        if (value.is_primitive()) values[fmt::format("{}.{}", group, name)] = value;
  for (const char* interval : {"cycles", "energy_uj"})
    if (const auto found = all.find("sample"); found != all.end() && found->at(interval).is_object())
      for (const char* part : {"low", "high", "sampling", "warm_up"})
        values[fmt::format("sample.{}.{}", interval, part)] = found->at(interval).at(part);
  return values;
}

/// The text of a row: its members, one per line, without the last newline. `keep`: the values of the row, null for
/// those that the run does not have; empty: all, without those that repeat the request.
std::string row_text(const Json& all, const std::vector<std::string>& keep) {
  Json names = Json::array(), values = Json::array(), known = Json::array();
  for (const auto& [name, value] : all.items()) {
    if (!is_statistic(name) || !value.is_null()) known.push_back(name);
    if (!keep.empty() || repeats_request(name)) continue;
    names.push_back(name);
    values.push_back(value);
  }
  for (const std::string& name : keep) {
    names.push_back(name);
    values.push_back(all.value(name, Json()));
  }
  return fmt::format("{}\n{}\n{}\n{}", all.value("end", ""), names.dump(), values.dump(), known.dump());
}

}  // namespace

Json record(const RunFacts& run, const RunFigures& figures, const std::vector<std::string>& keep) {
  Json values = single_values(run_results(run, figures));
  if (keep.empty()) return values;
  const Json stats = block_results(run);
  for (const std::string& entry : keep) values[entry] = kept_value(stats, entry);
  return values;
}

Json record_of_results(const Json& document, const std::vector<std::string>& keep) {
  Json values = single_values(document);
  for (const char* of_host :
       {"schema", "host_seconds", "simulated_cycles_per_second", "warp_instructions_per_second"})
    values.erase(of_host);
  const Json stats = document.value("stats", Json::object());
  for (const std::string& entry : keep) values[entry] = kept_value(stats, entry);
  return values;
}

std::vector<std::string> statistics_of(const RecordOptions& options) {
  std::vector<std::string> statistics;
  std::copy_if(options.keep.begin(), options.keep.end(), std::back_inserter(statistics),
               [&](const auto& one) { return options.form != RecordOptions::kRow || is_statistic(one); });
  return statistics;
}

std::string record_text(const Json& values, const RecordOptions& options) {
  const Json all = report::printable_json(values);
  return options.form == RecordOptions::kRow ? row_text(all, options.keep) : all.dump();
}

std::optional<Row> row_of(const std::string& text) {
  std::istringstream lines(text);
  Row row;
  for (std::string* part : {&row.end, &row.names, &row.values, &row.known})
    if (!std::getline(lines, *part) || lines.eof()) return std::nullopt;
  return row;
}

}  // namespace spica::job
