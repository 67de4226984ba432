// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/area/area_report.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "platform/machine/soc/blocks.h"
#include "platform/machine/soc/measured_machine.h"
#include "platform/observe/report/interval_json.h"

namespace spica::area {

namespace {

constexpr double kSquareMillimetre = 1e-6;  // per um2

std::string unit_of(const base::BlockType& type) {
  return std::string(type.units.empty() ? type.name : type.units);
}

/// Adds a part to those that are like it.
void merge(std::vector<Part>& parts, const Part& part) {
  const auto same = std::find_if(parts.begin(), parts.end(), [&part](const Part& known) {
    return known.name == part.name && known.structure == part.structure;
  });
  if (same == parts.end()) {
    parts.push_back(part);
    return;
  }
  same->amount += part.amount;
  same->mm2 += part.mm2;
}

json::Value parts_json(const std::vector<Part>& parts) {
  json::Value result = json::Value::array();
  for (const Part& part : parts)
    result.push_back({{"part", part.name},
                      {"structure", base::kStructures[base::index_of(part.structure)].name},
                      {"amount", part.amount},
                      {"area_mm2", report::interval_json(part.mm2)}});
  return result;
}

}  // namespace

AreaReport area_report(soc::MeasuredMachine& soc, const power::AreaTable& table,
                       const power::PowerParams& params) {
  AreaReport report;
  report.technology_nm = params.technology_nm > 0 ? params.technology_nm : table.technology_nm;
  for (const soc::PlacedBlock& one : soc::placed_blocks(soc)) {
    const base::BlockType& type = one.type();
    if (type.off_chip) continue;
    BlockArea block;
    block.name = one.name;
    block.type = type.name;
    block.order = type.order;
    block.unit = unit_of(type);
    for (const base::AreaTerm& term : one.block->area()) {
      const power::Interval each = table.square_micrometres(term.structure, report.technology_nm);
      merge(block.parts,
            {std::string(term.part), term.structure, term.amount, each * (term.amount * kSquareMillimetre)});
    }
    for (const Part& part : block.parts) block.mm2 += part.mm2;
    if (block.parts.empty() && type.free.empty()) report.unknown.push_back(block.name);
    report.mm2 += block.mm2;
    report.blocks.push_back(std::move(block));
  }
  return report;
}

void AreaReport::leave_out(std::string_view type) {
  blocks.erase(std::remove_if(blocks.begin(), blocks.end(),
                              [type](const BlockArea& block) { return block.type == type; }),
               blocks.end());
  mm2 = {};
  for (const BlockArea& block : blocks) mm2 += block.mm2;
}

std::vector<UnitArea> AreaReport::units() const {
  std::vector<UnitArea> units;
  for (const BlockArea& block : blocks) {
    if (block.parts.empty()) continue;
    auto unit = std::find_if(units.begin(), units.end(),
                             [&block](const UnitArea& known) { return known.name == block.unit; });
    if (unit == units.end()) unit = units.insert(units.end(), UnitArea{block.unit, block.order, 0, {}, {}});
    ++unit->blocks;
    unit->mm2 += block.mm2;
    for (const Part& part : block.parts) merge(unit->parts, part);
  }
  std::stable_sort(units.begin(), units.end(),
                   [](const UnitArea& a, const UnitArea& b) { return a.order < b.order; });
  return units;
}

json::Value area_json(const AreaReport& report) {
  json::Value units = json::Value::array(), blocks = json::Value::array();
  for (const UnitArea& unit : report.units())
    units.push_back({{"unit", unit.name},
                     {"blocks", unit.blocks},
                     {"area_mm2", report::interval_json(unit.mm2)},
                     {"parts", parts_json(unit.parts)}});
  for (const BlockArea& block : report.blocks)
    if (!block.parts.empty())
      blocks.push_back({{"block", block.name},
                        {"type", block.type},
                        {"unit", block.unit},
                        {"area_mm2", report::interval_json(block.mm2)},
                        {"parts", parts_json(block.parts)}});
  return {{"schema", "spica-area-1"},
          {"technology_nm", report.technology_nm},
          {"area_mm2", report::interval_json(report.mm2)},
          {"units", std::move(units)},
          {"blocks", std::move(blocks)},
          {"unknown", report.unknown}};
}

}  // namespace spica::area
