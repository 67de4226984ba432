// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/opencl_run/opencl_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

#include "platform/base/text/number_format.h"
#include "platform/observe/report/record_table.h"
#include "platform/run/launches.h"

namespace spica::workloads {

namespace fs = std::filesystem;

namespace {

/// Adds the members of `sums`, and of groups in it, to one level.
void flatten(const json::Value& sums, const std::string& prefix, json::Value& values) {
  for (const auto& [name, value] : sums.items())
    if (value.is_object()) flatten(value, prefix + name + '.', values);
    else values[prefix + name] = value;
}

}  // namespace

void KernelSums::add(const json::Value& row) {
  const auto number = [&row](const char* key) { return row.at(key).get<std::uint64_t>(); };
  const std::uint64_t own_cycles = number("cycles");
  if (row.contains("launches")) launches += number("launches");
  cycles += own_cycles;
  time_us += row.at("time_us").get<double>();
  warp_instructions += number("warp_instructions");
  thread_instructions += number("thread_instructions");
  if (const double share = row.at("lane_utilisation").get<double>(); share > 0)
    warp_lanes += static_cast<double>(number("thread_instructions")) / share;
  if (row.contains("bytes"))
    for (const auto& [level, count] : row.at("bytes").items()) bytes[level] += count.get<std::uint64_t>();
  if (row.contains("energy_uj")) energy_uj += row.at("energy_uj").at("total").get<double>();
  if (row.contains("limiter") && own_cycles >= limited_cycles) {
    limiter = row.at("limiter").get<std::string>();
    limited_cycles = own_cycles;
  }
}

json::Value KernelSums::json(bool has_energy) const {
  json::Value result{
      {"launches", launches},
      {"cycles", cycles},
      {"time_us", time_us},
      {"warp_instructions", warp_instructions},
      {"thread_instructions", thread_instructions},
      {"lane_utilisation", warp_lanes > 0 ? static_cast<double>(thread_instructions) / warp_lanes : 0}};
  if (!bytes.empty()) result["bytes"] = bytes;
  if (has_energy) result["energy_uj"] = energy_uj;
  if (!limiter.empty()) result["limiter"] = limiter;
  result["findings"] = findings;
  return result;
}

OpenClResults::OpenClResults(const fs::path& folder, const fs::path& record, const std::string& findings) {
  read_accounts(folder);
  if (machines_ == 0) read_record(record);
  count_findings(findings);
}

void OpenClResults::read_accounts(const fs::path& folder) {
  for (unsigned number = 1;; ++number) {
    std::ifstream file(folder / fmt::format("launches-{}", number));
    if (!file) return;
    const json::Value account = json::Value::parse(file, nullptr, false);
    if (!account.is_object()) continue;  // nothing was launched
    ++machines_;
    for (const auto& [name, row] : account.at("by_name").items()) kernels_[name].add(row);
    total_.add(account.at("total"));
    total_.launches += account.at("launches").size() + account.at("omitted").get<std::uint64_t>();
    has_energy_ = has_energy_ || account.at("total").contains("energy_uj");
  }
}

/// What the driver wrote for each launch (platform/opencl/driver/launch_record.h).
void OpenClResults::read_record(const fs::path& record) {
  std::ifstream lines(record);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string kernel, global, local;
    std::uint64_t cycles = 0, begin = 0, end = 0;
    if (!(words >> kernel >> global >> local >> cycles >> begin >> end)) continue;
    cut_ = true;
    for (KernelSums* sums : {&kernels_[kernel], &total_}) {
      ++sums->launches;
      sums->cycles += cycles;
      sums->time_us += static_cast<double>(end - begin) * 1e-3;
    }
  }
}

/// A finding counts for each kernel that it names: "in reverse, program.cl:5".
void OpenClResults::count_findings(const std::string& text) {
  std::istringstream lines(text);
  std::set<std::string> named;
  const auto count = [&] {
    for (const std::string& name : named)
      if (const auto found = kernels_.find(name); found != kernels_.end()) ++found->second.findings;
    named.clear();
  };
  for (std::string line; std::getline(lines, line);) {
    const std::size_t at = line.find_first_not_of(' ');
    if (at == 0) count();  // of the next finding
    if (at == std::string::npos || line.compare(at, 3, "in ") != 0) continue;
    named.insert(line.substr(at + 3, line.find(',', at) - at - 3));
  }
  count();
}

std::string OpenClResults::table() const {
  using Row = std::pair<std::string, KernelSums>;
  std::vector<Row> rows(kernels_.begin(), kernels_.end());
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    const auto key = [](const Row& row) {
      return std::make_pair(row.first == job::Launches::kNone, ~row.second.cycles);
    };
    return key(a) < key(b);
  });
  rows.emplace_back("total", total_);
  std::vector<json::Value> records;
  for (const auto& [kernel, sums] : rows) {
    json::Value record = sums.json(false);
    record["name"] = kernel;
    if (has_energy_) record["energy_uj"]["total"] = sums.energy_uj;
    if (sums.warp_instructions == 0) record.erase("limiter");
    records.push_back(std::move(record));
  }
  const auto nanoseconds = [](const json::Value& value) {
    return text::grouped(static_cast<std::uint64_t>(std::llround(value.get<double>() * 1000)));
  };
  namespace shown = report::shown;
  return report::record_table(report::account_columns({"/time_us", "ns", nanoseconds},
                                                      {{"/findings", "findings", shown::count_if_any}}),
                              records);
}

json::Value OpenClResults::json() const {
  json::Value by_kernel = json::Value::object();
  for (const auto& [kernel, sums] : kernels_) by_kernel[kernel] = sums.json(has_energy_);
  return {{"machines", machines_}, {"totals", total_.json(has_energy_)}, {"by_kernel", std::move(by_kernel)}};
}

json::Value OpenClResults::values() const {
  json::Value values{{"machines", machines_}};
  flatten(total_.json(false), "", values);
  if (has_energy_) values["total_energy_uj"] = total_.energy_uj;
  for (const auto& [kernel, sums] : kernels_)
    if (kernel != job::Launches::kNone)
      flatten(sums.json(has_energy_), fmt::format("kernels.{}.", kernel), values);
  return values;
}

}  // namespace spica::workloads
