// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/network_run/network_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "platform/base/input/printable.h"
#include "platform/observe/report/terminal.h"
#include "platform/run/launches.h"
#include "platform/run/measurements.h"
#include "platform/workloads/network/list_text.h"
#include "platform/workloads/network/work.h"
#include "platform/workloads/network_run/network_sums.h"
#include "platform/workloads/network_run/operator_columns.h"

namespace spica::network {

namespace {

json::Value difference_json(const std::optional<Difference>& found) {
  if (!found) return nullptr;
  return {
      {"error", found->error}, {"allowed", found->allowed}, {"index", found->index}, {"wrong", found->wrong}};
}

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

NetworkReport::NetworkReport(job::Job& job, const FinishedNetwork& done)
    : done_(done),
      network_(done.network),
      is_fast_(job.fast()),
      results_(done.job.results()),
      json_(json::Value::object()) {
  json::Value account{{"by_name", json::Value::object()}, {"total", json::Value::object()}};
  const job::RunFacts facts = job.facts();
  if (const job::Launches* const launches = facts.measurements.launches())
    account = launches->json(facts.measurements.energy());
  json::Value records = json::Value::array();
  for (std::size_t i = 0; i < results_.size(); ++i) records.push_back(record(i, account.at("by_name")));
  add_totals(account.at("total"), records);
  json_["operators"] = std::move(records);
  json_["nodes"] = nodes();
  json_["bytes"] = done.job.bytes();
}

std::optional<Difference> NetworkReport::difference(std::size_t op) const {
  if (done_.job.runs(op)) return done_.job.differences()[op];
  const auto found = done_.differences.find(op);
  return found == done_.differences.end() ? std::nullopt : std::optional(found->second);
}

/// Of an operator that did not run: what an equal one of the second block has, but for its error.
json::Value NetworkReport::record(std::size_t op, const json::Value& accounts) const {
  const Operator& of = network_.operators[op];
  const bool is_reused = !done_.job.runs(op);
  const Result& result = results_[is_reused ? done_.blocks.equal_to(op) : op];
  const auto known = accounts.find(result.label);
  json::Value record{{"name", of.name},
                     {"type", of.type()},
                     {"extents", extents_text(of)},
                     {"design", result.design},
                     {"kernel", result.kernels},
                     {"state", is_reused ? "reused" : "simulated"},
                     {"launches", result.launches},
                     {"cycles", known != accounts.end() ? known->at("cycles") : json::Value(0U)},
                     {"multiply_adds", multiply_adds(of)},
                     {"difference", difference_json(difference(op))}};
  for (const Operand& output : of.outputs)
    if (output.given()) record["format"] = name_of(network_.tensors[output.tensor].type);
  if (!is_reused && result.launched != base::kNever) record["begin"] = result.launched;
  if (!is_reused && result.ended != base::kNever) record["end"] = result.ended;
  if (known != accounts.end())
    for (const char* key : {"limiter", "bytes", "lane_utilisation", "energy_uj"})
      if (const auto value = known->find(key); value != known->end()) record[key] = *value;
  return record;
}

json::Value NetworkReport::nodes() const {
  json::Value nodes = json::Value::array();
  for (std::size_t i = 0; i < network_.graph.nodes.size(); ++i)
    nodes.push_back({{"name", network_.graph.nodes[i].name},
                     {"type", network_.graph.nodes[i].type},
                     {"becomes", row_text(network_, i)}});
  return nodes;
}

/// Of the run, and of operators that did not run. Sets the shares of records.
void NetworkReport::add_totals(const json::Value& account, json::Value& records) {
  std::uint64_t reused_cycles = 0, macs = 0, dram = 0;
  double reused_energy = 0;
  bool has_dram = account.contains("bytes") && account.at("bytes").contains("dram");
  if (has_dram) dram = account.at("bytes").at("dram").get<std::uint64_t>();
  for (const json::Value& record : records) {
    macs += record.at("multiply_adds").get<std::uint64_t>();
    if (record.at("state") != "reused") continue;
    reused_cycles += record.at("cycles").get<std::uint64_t>();
    if (record.contains("energy_uj")) reused_energy += record.at("energy_uj").at("total").get<double>();
    if (has_dram) dram += record.at("bytes").at("dram").get<std::uint64_t>();
  }
  const std::uint64_t cycles = done_.cycles + reused_cycles;
  for (json::Value& record : records)
    record["share"] = cycles == 0 ? 0.0 : record["cycles"].get<double>() / static_cast<double>(cycles);
  json::Value totals{{"operators", records.size()}, {"cycles", cycles}, {"multiply_adds", macs}};
  if (has_dram) totals["dram_bytes"] = dram;
  if (account.contains("energy_uj"))
    totals["energy_uj"] = account.at("energy_uj").at("total").get<double>() + reused_energy;
  json_["totals"] = std::move(totals);
  json_["by_type"] = sums_by_type(records, cycles);
  if (json::Value layers = sums_by_layer(records, cycles); !layers.empty())
    json_["by_layer"] = std::move(layers);
  const Blocks& blocks = done_.blocks;
  if (blocks.count == 0) return;
  json_["blocks"] = {{"first", blocks.first}, {"length", blocks.length}, {"count", blocks.count}};
  json_["projected_cycles"] = cycles;
  if (reused_energy != 0) json_["reused_energy_uj"] = reused_energy;
}

/// What is between operators, and all of it: with them the rows add up.
std::vector<json::Value> NetworkReport::sum_rows() const {
  const json::Value& totals = json_.at("totals");
  json::Value between{{"name", "(between operators)"}, {"type", ""}}, total{{"name", "total"}, {"type", ""}};
  std::uint64_t cycles = totals.at("cycles").get<std::uint64_t>();
  total["cycles"] = cycles;
  total["share"] = 1.0;
  double energy = 0;
  std::uint64_t dram = 0;
  for (const json::Value& record : json_.at("operators")) {
    cycles -= record.at("cycles").get<std::uint64_t>();
    if (record.contains("energy_uj")) energy += record.at("energy_uj").at("total").get<double>();
    if (totals.contains("dram_bytes") && record.contains("bytes"))
      dram += record.at("bytes").at("dram").get<std::uint64_t>();
  }
  between["cycles"] = cycles;
  between["share"] = static_cast<double>(cycles) / std::max(1.0, total["cycles"].get<double>());
  if (totals.contains("dram_bytes")) {
    total["bytes"]["dram"] = totals.at("dram_bytes");
    between["bytes"]["dram"] = totals.at("dram_bytes").get<std::uint64_t>() - dram;
  }
  if (totals.contains("energy_uj")) {
    total["energy_uj"]["total"] = totals.at("energy_uj");
    between["energy_uj"]["total"] = totals.at("energy_uj").get<double>() - energy;
  }
  return {between, total};
}

std::string NetworkReport::text() const {
  std::string text = fmt::format("\n{}", operator_table(json_.at("operators"), sum_rows(), is_fast_));
  if (json_.contains("by_layer")) text += fmt::format("\n{}", layer_table(json_.at("by_layer")));
  text += fmt::format("\n{}", type_table(json_.at("by_type")));
  const Blocks& blocks = done_.blocks;
  if (blocks.count == 0) return text;
  return text +
         fmt::format(
             "  {} equal blocks of {} operators, from {} on: the first two were simulated, the others take the cycles "
             "of the second.\n  projected      {} cycles for the network, {} of them simulated; the other blocks "
             "were computed in the fast mode\n",
             blocks.count, blocks.length, input::printable(network_.operators[blocks.first].name),
             text::grouped(json_.at("projected_cycles").get<std::uint64_t>()), text::grouped(done_.cycles));
}

std::string NetworkReport::csv() const { return operators_csv(json_.at("operators")); }

std::vector<std::string> NetworkReport::wrong() const {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < results_.size(); ++i)
    if (const auto found = difference(i); found && !found->right())
      lines.push_back(wrong_text(fmt::format("node '{}' ({})", input::printable(network_.operators[i].name),
                                             network_.operators[i].type()),
                                 *found));
  return lines;
}

std::optional<Difference> NetworkReport::worst() const {
  std::optional<Difference> worst;
  for (std::size_t i = 0; i < results_.size(); ++i)
    if (const auto found = difference(i); found && (!worst || found->ratio() > worst->ratio())) worst = found;
  return worst;
}

}  // namespace spica::network
