// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/network_run/network_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "platform/base/input/printable.h"
#include "platform/observe/report/terminal.h"
#include "platform/observe/report/text_table.h"
#include "platform/run/launches.h"
#include "platform/run/measurements.h"

namespace spica::network {

namespace {

using Align = report::TextTable::Align;

json::Value difference_json(const std::optional<Difference>& found) {
  if (!found) return nullptr;
  return {
      {"error", found->error}, {"allowed", found->allowed}, {"index", found->index}, {"wrong", found->wrong}};
}

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

}  // namespace

std::string wrong_text(const std::string& what, const Difference& found) {
  return fmt::format("{}: {} elements; element {} is {:.9g} instead of {:.9g}, error {:.3g}, allowed {:.3g}",
                     what, text::grouped(found.wrong), found.index, found.value, found.wanted, found.error,
                     found.allowed);
}

std::string output_text(const std::string& name, const std::string& with, const Difference& found,
                        bool decides) {
  return fmt::format("  output {} against {}: largest error {:.3g} of {:.3g}{}\n", input::printable(name),
                     input::printable(with), found.error, std::abs(found.wanted),
                     decides ? fmt::format(", allowed {:.3g}", found.allowed) : "");
}

NetworkReport::NetworkReport(job::Job& job, const NetworkJob& network)
    : network_(network), is_fast_(job.fast()), results_(network.results()), accounts_(json::Value::object()) {
  for (const Result& one : results_) cycles_ += one.cycles;
  const job::RunFacts facts = job.facts();
  if (const job::Launches* const launches = facts.measurements.launches())
    accounts_ = launches->json(facts.measurements.energy()).at("by_name");
}

/// Empty: nothing is known of it.
const json::Value& NetworkReport::account(const Result& one) const {
  static const json::Value none = json::Value::object();
  const auto found = accounts_.find(one.label);
  return found == accounts_.end() ? none : *found;
}

double NetworkReport::share(std::uint64_t cycles) const {
  return cycles_ != 0 ? static_cast<double>(cycles) / static_cast<double>(cycles_) : 0.0;
}

std::string NetworkReport::operator_table() const {
  report::TextTable table({{"operator"},
                           {"type"},
                           {"launches", Align::kRight},
                           {is_fast_ ? "estimated cycles" : "cycles", Align::kRight},
                           {"share", Align::kRight},
                           {"energy uJ", Align::kRight},
                           {"error", Align::kRight},
                           {"allowed", Align::kRight},
                           {"limiter"}});
  for (const Result& one : results_) {
    const json::Value& known = account(one);
    const auto energy = known.find("energy_uj");
    std::string error = one.is_reused ? "reused" : "-", allowed = "-";
    if (one.difference) {
      error = fmt::format("{:.2g}", one.difference->error);
      allowed = fmt::format("{:.2g}", one.difference->allowed);
    }
    table.add({input::printable(one.name), one.type, text::grouped(one.launches), text::grouped(one.cycles),
               percent(share(one.cycles)),
               energy != known.end() ? fmt::format("{:.3g}", energy->at("total").get<double>()) : "",
               std::move(error), std::move(allowed), known.value("limiter", "")});
  }
  return table.text(2);
}

json::Value NetworkReport::types() const {
  json::Value types = json::Value::object();
  for (const Result& one : results_) {
    json::Value& sum = types[one.type];
    if (sum.is_null()) sum = {{"operators", 0}, {"cycles", 0}};
    sum["operators"] = sum["operators"].get<std::uint64_t>() + 1;
    sum["cycles"] = sum["cycles"].get<std::uint64_t>() + one.cycles;
  }
  for (json::Value& sum : types) sum["share"] = share(sum["cycles"].get<std::uint64_t>());
  return types;
}

/// The largest share first.
std::string NetworkReport::type_table() const {
  report::TextTable table(
      {{"type"}, {"operators", Align::kRight}, {"cycles", Align::kRight}, {"share", Align::kRight}});
  std::vector<std::pair<std::string, json::Value>> sorted;
  const json::Value all = types();
  for (const auto& [type, sum] : all.items()) sorted.emplace_back(type, sum);
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
    const auto cycles = [](const auto& one) { return one.second.at("cycles").template get<std::uint64_t>(); };
    return std::make_pair(cycles(b), a.first) < std::make_pair(cycles(a), b.first);
  });
  for (const auto& [type, sum] : sorted)
    table.add({type, text::grouped(sum.at("operators").get<std::uint64_t>()),
               text::grouped(sum.at("cycles").get<std::uint64_t>()), percent(sum.at("share").get<double>())});
  return table.text(2);
}

std::uint64_t NetworkReport::reused_cycles() const {
  std::uint64_t cycles = 0;
  for (const Result& one : results_) cycles += one.is_reused ? one.cycles : 0;
  return cycles;
}

std::string NetworkReport::text(std::uint64_t cycles) const {
  std::string text = fmt::format("\n{}\n{}", operator_table(), type_table());
  const Blocks& blocks = network_.blocks();
  if (blocks.count == 0) return text;
  return text +
         fmt::format(
             "  {} equal blocks of {} operators, from {} on: the first two were simulated, the others take the cycles "
             "of the second.\n  projected      {} cycles for the network, {} of them simulated; results of the other "
             "blocks are those of the reference\n",
             blocks.count, blocks.length, input::printable(results_[blocks.first].name),
             text::grouped(cycles + reused_cycles()), text::grouped(cycles));
}

void NetworkReport::add_to(json::Value& details, std::uint64_t cycles) const {
  json::Value operators = json::Value::array();
  double reused_energy = 0;
  for (const Result& one : results_) {
    json::Value record{{"name", one.name},
                       {"type", one.type},
                       {"state", one.is_reused ? "reused" : "simulated"},
                       {"launches", one.launches},
                       {"cycles", one.cycles},
                       {"share", share(one.cycles)},
                       {"difference", difference_json(one.difference)}};
    const json::Value& known = account(one);
    for (const char* key : {"limiter", "bytes", "lane_utilisation", "energy_uj"})
      if (const auto value = known.find(key); value != known.end()) record[key] = *value;
    if (one.is_reused && record.contains("energy_uj"))
      reused_energy += record["energy_uj"]["total"].get<double>();
    operators.push_back(std::move(record));
  }
  details["operators"] = std::move(operators);
  details["by_type"] = types();
  details["bytes"] = network_.bytes();
  const Blocks& blocks = network_.blocks();
  if (blocks.count == 0) return;
  details["blocks"] = {{"first", blocks.first}, {"length", blocks.length}, {"count", blocks.count}};
  details["projected_cycles"] = cycles + reused_cycles();
  if (reused_energy != 0) details["reused_energy_uj"] = reused_energy;
}

std::vector<std::string> NetworkReport::wrong() const {
  std::vector<std::string> lines;
  for (const Result& one : results_)
    if (one.difference && !one.difference->right())
      lines.push_back(
          wrong_text(fmt::format("node '{}' ({})", input::printable(one.name), one.type), *one.difference));
  return lines;
}

std::optional<Difference> NetworkReport::worst() const {
  std::optional<Difference> worst;
  for (const Result& one : results_)
    if (one.difference && (!worst || one.difference->ratio() > worst->ratio())) worst = one.difference;
  return worst;
}

}  // namespace spica::network
