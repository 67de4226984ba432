// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/energy/energy_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <stdexcept>

#include "models/power/block_sizes.h"
#include "platform/machine/soc/keys.h"
#include "platform/observe/energy/entry_use.h"
#include "platform/observe/energy/units.h"

namespace spica::energy {

using power::Interval;
using protocol::kLineCountNames;

namespace {

/// Sums of many floating-point terms differ in their last bits only.
bool same(double a, double b) { return std::abs(a - b) <= 1e-9 * (1 + std::abs(a) + std::abs(b)); }
bool same(const Interval& a, const Interval& b) {
  return same(a.low, b.low) && same(a.nominal, b.nominal) && same(a.high, b.high);
}

void require(bool closed, const char* what, const Interval& sum, const Interval& total) {
  if (!closed)
    throw std::logic_error(
        fmt::format("energy {} does not add up: {} of {} pJ or uJ", what, sum.nominal, total.nominal));
}

std::size_t line_count_of(std::string_view name) {
  const auto found = std::find(kLineCountNames.begin(), kLineCountNames.end(), name);
  if (found == kLineCountNames.end()) throw std::logic_error("no profile counts '" + std::string(name) + "'");
  return static_cast<std::size_t>(found - kLineCountNames.begin());
}

}  // namespace

EnergyReport::EnergyReport(const Recorder& recorder, std::unique_ptr<MachineEnergies> energies,
                           const power::PowerParams& params, isa::TensorStyle tensor_style)
    : recorder_(recorder), energies_(std::move(energies)), params_(params), tensor_style_(tensor_style) {
  for (const power::Activity::Channel& channel : activity().channels()) {
    const std::string& unit = activity().blocks()[channel.block].part;
    const auto known = std::find(units_.begin(), units_.end(), unit);
    unit_of_channel_.push_back(static_cast<std::size_t>(known - units_.begin()));
    if (known == units_.end() && !unit.empty()) units_.push_back(unit);
    if (unit.empty()) unit_of_channel_.back() = ~std::size_t{0};
  }
  find_unused();
  const Span window = recorder_.window();
  counts_ = window.counts;
  const std::vector<double> events = activity().by_kind(counts_);
  const std::vector<Interval> energies_of_events = model().by_kind(activity(), counts_);
  for (std::size_t kind = 0; kind < events.size(); ++kind)
    by_kind_.push_back({events[kind], energies_of_events[kind]});
  window_ = of(window);
  whole_ = of(recorder_.whole());
  for (const Span& span : recorder_.steps()) steps_.push_back(of(span));
  for (const Span& span : recorder_.regions()) regions_.push_back(of(span));
  tree_ = model().tree(activity(), window.counts, window.cycles());
  if (recorder_.has_lines()) attribute_lines();
  check();
}

void EnergyReport::find_unused() {
  const std::vector<double> counts = recorder_.whole().counts;
  std::map<const base::BlockType*, double> events;  // of types that have any
  for (std::size_t i = 0; i < counts.size(); ++i)
    events[activity().blocks()[activity().channels()[i].block].type] += counts[i];
  const double scale = energies_->areas().scale_to(model().point().technology_nm);
  for (const power::IdleKind& kind : power::idle_kinds()) {
    const auto found = events.find(kind.type);
    if (found == events.end() || found->second != 0 || kind.type->off_chip) continue;
    UnusedUnit unit{kind.type, 0, {}, 0};
    for (std::size_t b = 0; b < activity().blocks().size(); ++b) {
      const power::Block& block = activity().blocks()[b];
      if (block.type != kind.type) continue;
      ++unit.blocks;
      unit.idle_mw += model().idle_of(b);
      unit.mm2 += power::square_micrometres(energies_->areas(), block.area) * scale * 1e-6;
    }
    unused_.push_back(unit);
    if (params_.only_used) energies_->model().leave_out(activity(), *kind.type);
  }
}

bool EnergyReport::leaves_out(const base::BlockType& type) const {
  return params_.only_used && std::any_of(unused_.begin(), unused_.end(),
                                          [&type](const UnusedUnit& unit) { return unit.type == &type; });
}

SpanEnergy EnergyReport::of(const Span& span) const {
  SpanEnergy energy;
  energy.begin = span.begin;
  energy.end = span.end;
  energy.seconds = model().seconds(span.cycles());
  energy.active_uj = model().active(span.counts, true) * kMicrojoule;
  energy.dram_uj = model().active(span.counts, false) * kMicrojoule;
  energy.idle_mw = model().idle();
  energy.idle_uj = energy.idle_mw * (energy.seconds * 1e3);
  energy.dram_idle_mw = model().standby();
  energy.dram_idle_uj = energy.dram_idle_mw * (energy.seconds * 1e3);
  for (const std::string& unit : units_) energy.units_uj.emplace_back(unit, 0);
  for (std::size_t i = 0; i < span.counts.size(); ++i) {
    const std::size_t unit = unit_of_channel_[i];
    if (unit < units_.size())
      energy.units_uj[unit].second += model().of_channel(i).nominal * span.counts[i] * kMicrojoule;
  }
  if (energy.seconds > 0) {
    energy.active_mw = energy.active_uj * (1e-3 / energy.seconds);
    energy.dram_mw = energy.dram_uj * (1e-3 / energy.seconds);
  }
  return energy;
}

/// Events that a core's profile counts per program counter go to the instruction; the rest of each kind of
/// event (units that work on their own, requests under way at the edges) stays with the event.
void EnergyReport::attribute_lines() {
  const LineActivity lines = recorder_.lines();
  std::map<std::uint32_t, Interval> energy;
  for (std::size_t kind = 0; kind < by_kind_.size(); ++kind) {
    const power::EventKind& event = power::event_kinds()[kind];
    const auto& [total, sum] = by_kind_[kind];
    double left = total;
    // A profile has the cores together, so an instruction is charged the mean of its event.
    const Interval each = total > 0 ? sum * (1 / total) : model().per_event(kind);
    if (!event.line.name.empty()) {
      const std::size_t count = line_count_of(event.line.name);
      const double weight = activity().line_weight(kind);
      for (const auto& [pc, row] : lines.rows) {
        const double events = weight * static_cast<double>(row.counts[count]);
        energy[pc] += each * events;
        left -= events;
      }
    }
    if (left != 0) unattributed_.push_back({std::string(event.name), each * left});
  }
  std::uint64_t cycles = 0;
  for (const auto& [pc, row] : lines.rows)
    cycles = std::accumulate(row.cycles.begin(), row.cycles.end(), cycles);
  if (cycles != lines.cores * (window_.end - window_.begin))
    throw std::logic_error(fmt::format("issue cycles by line sum to {} of {} x {}", cycles, lines.cores,
                                       window_.end - window_.begin));
  for (const auto& [pc, row] : lines.rows) {
    const auto idle = [](std::uint64_t n) { return n == 0; };
    if (std::all_of(row.counts.begin(), row.counts.end(), idle) &&
        std::all_of(row.cycles.begin(), row.cycles.end(), idle))
      continue;
    instructions_.push_back({pc, row, energy[pc]});
  }
}

std::string EnergyReport::table_note() const {
  const power::OperatingPoint& point = model().point();
  std::string note =
      fmt::format("Energies of {}, {:g} nm, {:g} V", params_.table, table().technology_nm, table().voltage);
  if (!table().machine.empty()) note += fmt::format(", for {}", table().machine);
  if (point.technology_nm != table().technology_nm) {
    const Interval factor = power::technology_factor(table(), point.technology_nm);
    note += fmt::format(", scaled to {:g} nm, +-{:.0f} %", point.technology_nm,
                        std::ceil(100 * (factor.high / factor.nominal - 1)));
  }
  if (point.voltage != table().voltage) note += fmt::format(", scaled to {:g} V", point.voltage);
  std::replace(note.begin(), note.end(), ';', ',');  // separates notes
  return note;
}

std::vector<std::string> EnergyReport::notes() const {
  std::vector<std::string> notes{table_note()};
  if (device() == nullptr && (window_.dram_uj.high > 0 || whole_.dram_uj.high > 0))
    notes.push_back(
        fmt::format("DRAM: generic energies without standby; {} selects a device", soc::keys::kDramEnergy));
  for (std::string& note : extrapolation_notes(activity(), model(), counts_))
    notes.push_back(std::move(note));
  for (const std::size_t zero : zero_kinds()) {
    const power::EventKind& kind = power::event_kinds()[zero];
    if (!power::off_chip(kind) && !is_explained(table().event(zero).source))
      notes.push_back(fmt::format("{}: occurred {:.0f} times at 0 pJ", kind.name, by_kind_[zero].count));
  }
  return notes;
}

std::vector<std::size_t> EnergyReport::zero_kinds() const {
  std::vector<std::size_t> kinds;
  for (std::size_t kind = 0; kind < by_kind_.size(); ++kind)
    if (by_kind_[kind].count > 0 && by_kind_[kind].active_pj.high == 0) kinds.push_back(kind);
  return kinds;
}

void EnergyReport::check() const {
  Interval active, dram;
  for (const SpanEnergy& step : steps_) {
    active += step.active_uj;
    dram += step.dram_uj;
  }
  require(same(active, whole_.active_uj) && same(dram, whole_.dram_uj), "over time", active,
          whole_.active_uj);
  const power::EnergyNode* soc = tree_.find("soc");
  const Interval by_block = (soc != nullptr ? soc->active : Interval{}) * kMicrojoule;
  require(same(by_block, window_.active_uj), "by block", by_block, window_.active_uj);
  if (!recorder_.has_lines()) return;
  Interval by_line;
  for (const InstructionEnergy& instruction : instructions_) by_line += instruction.active_pj;
  for (const UnattributedEnergy& rest : unattributed_) by_line += rest.active_pj;
  const Interval total = window_.active_uj + window_.dram_uj;
  require(same(by_line * kMicrojoule, total), "by line", by_line * kMicrojoule, total);
}

}  // namespace spica::energy
