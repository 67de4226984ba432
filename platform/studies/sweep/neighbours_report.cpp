// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/sweep/neighbours_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "platform/base/input/printable.h"
#include "platform/base/text/number_format.h"
#include "platform/observe/report/text_table.h"

namespace spica::sweep {

namespace {

json::Value cost_json(const RunCost& cost) {
  json::Value all{{"cycles", cost.cycles}, {"time_us", cost.microseconds}};
  if (cost.energy_uj) all["total_energy_uj"] = *cost.energy_uj;
  if (cost.area_mm2) all["area_mm2"] = *cost.area_mm2;
  return all;
}

json::Value step_json(const Step& step) {
  return {{"key", step.key},
          {"value", step.value},
          {"tried", step.tried},
          {"set", step.overrides},
          {"kind", step.direction == Direction::kChoice ? "program" : "hardware"}};
}

}  // namespace

json::Value neighbourhood_json(const Neighbourhood& found) {
  json::Value result = cost_json(found.itself.cost);
  result.update({{"parameters", found.parameters},
                 {"runs", found.runs},
                 {"noise", {{"gain", found.noise}, {"set", found.noise_from}, {"runs", found.noise_runs}}},
                 {"time_by_part", found.itself.parts},
                 {"channels", found.itself.channels}});
  if (!found.itself.no_energy.empty()) result["no_energy"] = found.itself.no_energy;
  for (const auto& [name, list] : {std::pair{"found", &found.found}, {"program", &found.of_program}}) {
    result[name] = json::Value::array();
    for (const Neighbour& one : *list) {
      json::Value row = step_json(one.step);
      row.update(cost_json(one.cost));
      row["gain"] = one.gain(found.itself.cost);
      result[name].push_back(std::move(row));
    }
  }
  result["refused"] = json::Value::array();
  for (const Step& step : found.refused) {
    result["refused"].push_back(step_json(step));
    result["refused"].back()["reason"] = step.refused;
  }
  result["tried"] = found.tried;
  result["without_effect"] = found.without_effect;
  result["not_tried"] = found.not_tried;
  return result;
}

namespace {

/// Change in percent; nothing: one of them is not known.
std::string change(const std::optional<double>& value, const std::optional<double>& before, int digits) {
  if (!value || !before || *before <= 0) return "";
  return fmt::format("{:+.{}f} %", 100 * (*value / *before - 1), digits);
}

/// "cluster.dcache.mshrs = 18 with mshr_requests = 18": what follows, without the group that both are in.
std::string followers(const Step& step) {
  std::string text;
  for (std::size_t i = 1; i < step.overrides.size(); ++i) text += " with " + step.overrides[i];
  return text;
}

std::string steps_text(const char* title, const std::vector<Neighbour>& list, const RunCost& before) {
  if (list.empty()) return "";
  using Align = report::TextTable::Align;
  report::TextTable table({{"parameter"},
                           {"value", Align::kRight},
                           {"tried", Align::kRight},
                           {"", Align::kLeft},
                           {"cycles", Align::kRight},
                           {"time saved", Align::kRight},
                           {"energy", Align::kRight},
                           {"area", Align::kRight}});
  for (const Neighbour& one : list)
    table.add({one.step.key, one.step.value, one.step.tried, one.step.unit + followers(one.step),
               text::grouped(one.cost.cycles), fmt::format("{:+.1f} %", 100 * one.gain(before)),
               change(one.cost.energy_uj, before.energy_uj, 1),
               change(one.cost.area_mm2, before.area_mm2, 2)});
  return fmt::format("\n{}\n{}", title, table.text());
}

/// The largest gains: "a = 1 instead of 2 (3.4 %), b ...".
std::string list_of(const std::vector<Neighbour>& good, const RunCost& before) {
  constexpr std::size_t kMost = 3;
  std::vector<std::string> keys, parts;
  for (const Neighbour& one : good) {
    if (keys.size() == kMost) break;
    if (std::find(keys.begin(), keys.end(), one.step.key) != keys.end()) continue;
    keys.push_back(one.step.key);
    parts.push_back(fmt::format("{} = {} instead of {}{} ({:.1f} %)", one.step.key, one.step.tried,
                                one.step.value, followers(one.step), 100 * one.gain(before)));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string headline(const Neighbourhood& found, double threshold) {
  const auto hardware = found.advice(found.found, threshold),
             program = found.advice(found.of_program, threshold);
  const std::size_t tried = found.tried.size() + found.without_effect.size();
  std::string text =
      hardware.empty()
          ? fmt::format(
                "No single hardware improvement that is invisible to the program saves more than {:.1f} % of the "
                "time.\n",
                100 * std::max(found.noise, threshold))
          : fmt::format(
                "What would help most{}: {}.\n",
                found.not_tried.empty() ? "" : fmt::format(" of the {} parameters that were tried", tried),
                list_of(hardware, found.itself.cost));
  if (!program.empty())
    text += fmt::format("With the program made for the machine: {}.\n", list_of(program, found.itself.cost));
  return text;
}

/// "matrix_units 83 %, main_memory 9 %".
std::string shares_text(const std::map<std::string, double>& shares, double least) {
  std::vector<std::pair<std::string, double>> sorted(shares.begin(), shares.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<std::string> parts;
  for (const auto& [name, share] : sorted)
    if (share >= least) parts.push_back(fmt::format("{} {:.0f} %", name, 100 * share));
  return fmt::format("{}", fmt::join(parts, ", "));
}

/// Parameters by group: "l2 (4), main_memory.dram (7)".
std::string by_group(const std::vector<std::string>& keys) {
  std::map<std::string, unsigned> counts;
  for (const std::string& key : keys) {
    const std::size_t dot = key.rfind('.');
    ++counts[dot == std::string::npos ? key : key.substr(0, dot)];
  }
  std::vector<std::string> parts;
  for (const auto& [group, count] : counts)
    parts.push_back(count == 1 ? group : fmt::format("{} ({})", group, count));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string noise_text(const Neighbourhood& found) {
  if (found.noise > 0)
    return fmt::format(
        "noise: {} is worse hardware and saves {:.2f} % of the time: ignore smaller gains ({} worse machines)\n",
        fmt::join(found.noise_from, " "), 100 * found.noise, found.noise_runs);
  if (found.noise_runs == 0) return "";
  return fmt::format("noise: none of {} worse machines is faster\n", found.noise_runs);
}

/// The reason as far as it fits into a line or two; all of it is in the JSON.
std::string shortened(const std::string& reason) {
  constexpr std::size_t kMost = 160;
  std::string text = input::printable(reason);
  if (text.size() <= kMost) return text;
  return text.substr(0, text.rfind(' ', kMost)) + " ...";
}

std::string tried_text(const Neighbourhood& found, double percent) {
  std::string text = fmt::format("\n{} runs; steps that change time by less than {:g} % are not shown\n",
                                 found.runs, percent);
  text += noise_text(found);
  text += fmt::format("tried one by one: {} parameters in {}\n", found.tried.size(), by_group(found.tried));
  if (!found.without_effect.empty())
    text += fmt::format("tried together, without effect: {} in {}\n", found.without_effect.size(),
                        by_group(found.without_effect));
  if (!found.not_tried.empty())
    text += fmt::format("not tried: {} in {}; --budget {} is enough\n", found.not_tried.size(),
                        by_group(found.not_tried), found.enough);
  for (const Step& step : found.refused)
    text += fmt::format("not possible: {} = {}: {}\n", step.key, step.tried, shortened(step.refused));
  if (!found.itself.no_energy.empty())
    text += fmt::format("no energy: {}\n", input::printable(found.itself.no_energy));
  return text;
}

}  // namespace

std::string neighbourhood_text(const Neighbourhood& found, double percent, bool remade) {
  constexpr double kLeast = 0.01;
  const Itself& itself = found.itself;
  std::string text = headline(found, percent / 100);
  text += fmt::format("time by part   {}\nchannels       {}\n", shares_text(itself.parts, kLeast),
                      shares_text(itself.channels, 0));
  text += steps_text("Hardware improvements that are invisible to the program", found.found, itself.cost);
  text += steps_text(
      remade
          ? "Steps that the program sees, made for each of these machines"
          : "Steps that the program sees; one that does not come with Spica runs as it is, and no result is checked",
      found.of_program, itself.cost);
  return text + tried_text(found, percent);
}

}  // namespace spica::sweep
