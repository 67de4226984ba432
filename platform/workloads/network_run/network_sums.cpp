// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/network_run/network_sums.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "platform/base/input/printable.h"
#include "platform/base/text/number_format.h"
#include "platform/observe/report/text_table.h"

namespace spica::network {

namespace {

using report::TextTable;

void add(json::Value& sum, const json::Value& record) {
  if (sum.is_null()) sum = {{"operators", 0}, {"cycles", 0}, {"share", 0.0}, {"multiply_adds", 0}};
  const auto plus = [&sum](const char* key, const json::Value& value) {
    json::Value& of = sum[key];
    if (of.is_null()) of = value;
    else if (value.is_number_float()) of = of.get<double>() + value.get<double>();
    else of = of.get<std::uint64_t>() + value.get<std::uint64_t>();
  };
  plus("operators", 1U);
  plus("cycles", record.at("cycles"));
  plus("multiply_adds", record.at("multiply_adds"));
  if (record.contains("bytes") && record.at("bytes").contains("dram"))
    plus("dram_bytes", record.at("bytes").at("dram"));
  if (record.contains("energy_uj")) plus("energy_uj", record.at("energy_uj").at("total"));
}

void set_share(json::Value& sum, std::uint64_t cycles) {
  sum["share"] = cycles == 0 ? 0.0 : sum["cycles"].get<double>() / static_cast<double>(cycles);
}

std::string table_of(const char* title, const std::vector<std::pair<std::string, json::Value>>& rows) {
  const auto right = TextTable::Align::kRight;
  TextTable table(
      {{title}, {"operators", right}, {"cycles", right}, {"share", right}, {"DRAM", right}, {"uJ", right}});
  for (const auto& [name, sum] : rows) {
    const auto dram = sum.find("dram_bytes"), energy = sum.find("energy_uj");
    table.add({name, text::grouped(sum.at("operators").get<std::uint64_t>()),
               text::grouped(sum.at("cycles").get<std::uint64_t>()),
               text::percent(sum.at("share").get<double>()),
               dram != sum.end() ? text::scaled(dram->get<double>(), "B") : "",
               energy != sum.end() ? fmt::format("{:.3g}", energy->get<double>()) : ""});
  }
  return table.text(2);
}

bool has_digit(const std::string& text) {
  return std::any_of(text.begin(), text.end(),
                     [](unsigned char letter) { return std::isdigit(letter) != 0; });
}

}  // namespace

json::Value sums_by_type(const json::Value& records, std::uint64_t cycles) {
  json::Value sums = json::Value::object();
  for (const json::Value& record : records) add(sums[record.at("type").get<std::string>()], record);
  for (json::Value& sum : sums) set_share(sum, cycles);
  return sums;
}

json::Value sums_by_layer(const json::Value& records, std::uint64_t cycles) {
  struct Group {
    json::Value sum;
    std::vector<std::size_t> path;  // places of first appearance: its own behind that of its parent
  };
  std::vector<Group> groups;
  std::map<std::string, std::size_t> places;
  for (const json::Value& record : records) {
    const std::string name = record.at("name").get<std::string>();
    std::vector<std::size_t> path;
    for (std::size_t at = name.find('/', 1); at != std::string::npos; at = name.find('/', at + 1)) {
      const auto [place, is_new] = places.try_emplace(name.substr(0, at), groups.size());
      path.push_back(place->second);
      if (is_new) groups.push_back({nullptr, path});
      add(groups[place->second].sum, record);
    }
  }
  for (const auto& [name, place] : places) groups[place].sum["name"] = name;
  std::sort(groups.begin(), groups.end(), [](const Group& a, const Group& b) { return a.path < b.path; });
  json::Value sums = json::Value::array();
  for (Group& group : groups) {
    set_share(group.sum, cycles);
    group.sum["depth"] = group.path.size() - 1;
    sums.push_back(std::move(group.sum));
  }
  return sums;
}

std::string type_table(const json::Value& sums) {
  std::vector<std::pair<std::string, json::Value>> rows;
  for (const auto& [type, sum] : sums.items()) rows.emplace_back(type, sum);
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
    return a.second.at("cycles").template get<std::uint64_t>() >
           b.second.at("cycles").template get<std::uint64_t>();
  });
  return table_of("type", rows);
}

std::string layer_table(const json::Value& sums) {
  std::vector<std::pair<std::string, json::Value>> rows;
  std::string shown = "\n";  // whose parts are not shown
  for (const json::Value& sum : sums) {
    const std::string name = sum.at("name").get<std::string>();
    if (name.compare(0, shown.size(), shown) == 0) continue;
    rows.emplace_back(std::string(2 * sum.at("depth").get<std::size_t>(), ' ') + input::printable(name), sum);
    if (has_digit(name)) shown = name + "/";
  }
  return table_of("layer", rows);
}

}  // namespace spica::network
