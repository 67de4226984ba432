// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/energy/energy_json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "models/protocol/payload/issue_reason.h"
#include "platform/observe/energy/activity_file.h"
#include "platform/observe/energy/line_table.h"
#include "platform/observe/energy/totals.h"
#include "platform/observe/energy/units.h"
#include "platform/observe/report/interval_json.h"

namespace spica::energy {

using Json = json::Value;

namespace {

Json span_json(const SpanEnergy& span) {
  Json units = Json::object();
  for (const auto& [unit, energy] : span.units_uj) units[unit] = energy;
  return {{"begin", span.begin},
          {"end", span.end},
          {"seconds", span.seconds},
          {"active_uj", report::interval_json(span.active_uj)},
          {"idle_uj", report::interval_json(span.idle_uj)},
          {"dram_uj", report::interval_json(span.dram_uj)},
          {"active_mw", report::interval_json(span.active_mw)},
          {"idle_mw", report::interval_json(span.idle_mw)},
          {"dram_mw", report::interval_json(span.dram_mw)},
          {"dram_idle_uj", report::interval_json(span.dram_idle_uj)},
          {"dram_idle_mw", report::interval_json(span.dram_idle_mw)},
          {"units_uj", std::move(units)}};
}

Json spans_json(const std::vector<SpanEnergy>& spans) {
  Json array = Json::array();
  for (const SpanEnergy& span : spans) array.push_back(span_json(span));
  return array;
}

Json tree_json(const power::EnergyNode& node) {
  Json result = {{"name", node.name},
                 {"active_uj", report::interval_json(node.active * kMicrojoule)},
                 {"idle_uj", report::interval_json(node.idle * kMicrojoule)}};
  if (node.children.empty()) return result;
  Json children = Json::array();
  for (const power::EnergyNode& child : node.children) children.push_back(tree_json(child));
  result["children"] = std::move(children);
  return result;
}

/// Idle power by type of block: [{block, term, blocks, doubtful, mw}], of all blocks of the type together.
Json idle_json(const EnergyReport& report) {
  Json list = Json::array();
  const auto& blocks = report.activity().blocks();
  for (std::size_t kind = 0; kind < power::idle_kinds().size(); ++kind) {
    const base::BlockType* type = power::idle_kinds()[kind].type;
    power::Interval clock, leakage;
    unsigned number = 0;
    for (const power::Block& block : blocks) {
      if (block.type != type) continue;
      clock += report.model().idle_clock(kind, block);
      leakage += report.model().idle_leakage(kind, block);
      ++number;
    }
    if (number == 0 || report.leaves_out(*type)) continue;
    const bool doubtful = report.table().idle(kind).doubtful;
    for (const auto& [term, power] : {std::pair{"clock", clock}, std::pair{"leakage", leakage}})
      list.push_back({{"block", type->name},
                      {"term", term},
                      {"blocks", number},
                      {"doubtful", doubtful},
                      {"mw", report::interval_json(power)}});
  }
  if (const power::DeviceEnergies* device = report.device(); device != nullptr)
    for (const power::Block& block : blocks)
      if (block.type->off_chip)
        list.push_back({{"block", block.type->name},
                        {"term", "standby"},
                        {"blocks", 1},
                        {"doubtful", device->doubtful},
                        {"mw", report::interval_json(report.model().standby())}});
  return list;
}

Json line_json(const LineEnergy& line) {
  Json stalls = Json::object();
  const auto names = protocol::issue_reason_names();
  for (std::size_t reason = 1; reason < names.size(); ++reason)
    if (line.activity.cycles[reason] != 0) stalls[std::string(names[reason])] = line.activity.cycles[reason];
  Json result;
  if (line.pc) result["pc"] = fmt::format("{:#010x}", *line.pc);
  result["function"] = line.function;
  result["file"] = line.file;
  result["line"] = line.line;
  if (!line.text.empty()) result["text"] = line.text;
  result["warp_instructions"] = line.activity[protocol::LineCount::kWarpInstructions];
  result["issues"] = line.activity[protocol::LineCount::kIssues];
  result["cycles"] = line.cycles();
  result["issued_cycles"] = line.activity.cycles[0];
  result["stalls"] = std::move(stalls);
  result["active_uj"] = report::interval_json(line.active_pj * kMicrojoule);
  return result;
}

}  // namespace

Json energy_json(const EnergyReport& report, const loader::SourceMap& sources, const loader::Program& program,
                 std::optional<std::uint64_t> multiply_adds) {
  const power::EnergyTable& table = report.table();
  const power::OperatingPoint& point = report.model().point();
  Json document;
  document["schema"] = "spica-energy-1";
  document["table"] = {{"name", report.params().table},
                       {"technology_nm", table.technology_nm},
                       {"voltage", table.voltage},
                       {"clock_mhz", table.clock_mhz},
                       {"instruction_overhead", table.instruction_overhead},
                       {"calibration_note", table.calibration_note}};
  document["operating_point"] = {
      {"technology_nm", point.technology_nm}, {"voltage", point.voltage}, {"clock_mhz", point.clock_mhz}};
  document["notes"] = report.notes();
  Json zeros = Json::array();
  for (const std::size_t zero : report.zero_kinds())
    zeros.push_back({{"event", power::event_kinds()[zero].name},
                     {"count", static_cast<std::uint64_t>(report.by_kind()[zero].count)},
                     {"source", table.event(zero).source}});
  document["zero_entries"] = std::move(zeros);
  Json unused = Json::array();
  for (const UnusedUnit& unit : report.unused())
    unused.push_back({{"block", unit.type->name},
                      {"blocks", unit.blocks},
                      {"idle_mw", report::interval_json(unit.idle_mw)},
                      {"area_mm2", unit.mm2},
                      {"left_out", report.leaves_out(*unit.type)}});
  document["unused"] = std::move(unused);
  document["dram"] = report.device() != nullptr ? Json{{"source", report.device()->source}} : Json();
  document["window_is_marked"] = report.recorder().is_marked();
  document["window"] = span_json(report.window());
  document["total"] = totals_json(totals(report, multiply_adds));
  document["whole_run"] = span_json(report.whole());
  document["blocks"] = tree_json(report.tree());
  document["blocks"]["name"] = "machine";
  document["step_cycles"] = report.recorder().step_length();
  document["over_time"] = spans_json(report.steps());
  document["regions"] = spans_json(report.regions());
  document["events"] = events_json(report);
  document["idle"] = idle_json(report);
  if (!report.recorder().has_lines()) return document;

  Json lines = Json::array(), instructions = Json::array(), unattributed = Json::array();
  const LineTable by_line(report, sources, program);
  for (const LineEnergy& line : by_line.lines()) lines.push_back(line_json(line));
  for (const LineEnergy& line : by_line.instructions()) instructions.push_back(line_json(line));
  for (const UnattributedEnergy& rest : report.unattributed())
    unattributed.push_back(
        {{"event", rest.event}, {"active_uj", report::interval_json(rest.active_pj * kMicrojoule)}});
  document["lines"] = std::move(lines);
  document["instructions"] = std::move(instructions);
  document["unattributed"] = std::move(unattributed);
  return document;
}

}  // namespace spica::energy
