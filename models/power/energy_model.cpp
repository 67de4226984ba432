// SPDX-License-Identifier: Apache-2.0
#include "models/power/energy_model.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "models/power/block_sizes.h"

namespace spica::power {

namespace {

constexpr double kPicojoulePerMillijoule = 1e9;

/// The node at `path` ("a/b"; empty: `node` itself), made where it does not exist.
EnergyNode& node_at(EnergyNode& node, std::string_view path) {
  if (path.empty()) return node;
  const std::size_t end = std::min(path.find('/'), path.size());
  const std::string_view name = path.substr(0, end);
  const std::string_view rest = end < path.size() ? path.substr(end + 1) : std::string_view{};
  for (EnergyNode& child : node.children)
    if (child.name == name) return node_at(child, rest);
  EnergyNode& child = node.children.emplace_back();
  child.name = name;
  return node_at(child, rest);
}

/// Adds what is below each node to it.
void sum_up(EnergyNode& node) {
  for (EnergyNode& child : node.children) {
    sum_up(child);
    node.active += child.active;
    node.idle += child.idle;
  }
}

std::string path_of(const Block& block, std::string_view place) {
  if (place.empty()) return block.node;
  return block.node + "/" + std::string(place);
}

Interval gating_factor(const GatingFactors& factors, ClockGating gating) {
  const FactorEntry& entry = gating == ClockGating::kNone    ? factors.none
                             : gating == ClockGating::kBlock ? factors.block
                                                             : factors.fine;
  return entry.interval();
}

/// A law can only follow sizes that the block has.
void require_sizes(const Law& law, const Sizes& now, std::size_t kind, const std::string& block) {
  for (const auto& item : kSizes.items)
    if (law.depends_on(item.value) && now[item.value] == 0)
      throw std::invalid_argument("events." + std::string(event_kinds()[kind].name) + ": the law \"" +
                                  law.name + "\" reads the size " + std::string(item.name) + ", which " +
                                  block + " does not have; `memory` and `crossbar` name parts of the block");
}

}  // namespace

const EnergyNode* EnergyNode::find(const std::string& path) const {
  const std::size_t end = std::min(path.find('/'), path.size());
  for (const EnergyNode& child : children)
    if (child.name == path.substr(0, end))
      return end < path.size() ? child.find(path.substr(end + 1)) : &child;
  return nullptr;
}

EnergyModel::EnergyModel(const EnergyTable& table, const OperatingPoint& point)
    : table_(table), point_(point) {
  const Interval technology = technology_factor(table, point.technology_nm);
  const double voltage = point.voltage / table.voltage;
  const Interval dynamic = technology * (voltage * voltage);
  const Interval leakage = technology * std::pow(voltage, table.leakage_exponent);
  const Interval clock =
      gating_factor(table.clock_gating, point.clock_gating) * dynamic * (point.clock_mhz / table.clock_mhz);
  for (std::size_t kind = 0; kind < event_kinds().size(); ++kind)
    events_.push_back(table.picojoule(kind) * (off_chip(event_kinds()[kind]) ? Interval{1, 1, 1} : dynamic));
  for (std::size_t kind = 0; kind < idle_kinds().size(); ++kind) {
    const IdlePower& idle = table.idle(kind);
    idle_clock_.push_back(Interval{idle.clock.low, idle.clock.nominal, idle.clock.high} * clock);
    idle_leakage_.push_back(Interval{idle.leakage.low, idle.leakage.nominal, idle.leakage.high} * leakage);
  }
}

EnergyModel::EnergyModel(const EnergyTable& table, const OperatingPoint& point, const Activity& activity,
                         const AreaTable& areas, const DeviceEnergies* device)
    : EnergyModel(table, point) {
  areas_ = &areas;
  double fastest = 0;
  for (const Block& block : activity.blocks())
    if (!block.type->off_chip) fastest = std::max(fastest, block.clock * point.clock_mhz);
  if (const std::string problem = problem_of(table, point, fastest); !problem.empty())
    throw std::invalid_argument(problem);
  const BlockSizes sizes(areas, activity.blocks());
  for (const Activity::Channel& channel : activity.channels()) {
    is_off_chip_.push_back(off_chip(event_kinds()[channel.kind]));
    if (device != nullptr && is_off_chip_.back()) {
      channels_.push_back(device->picojoule(channel.kind));
      scalings_.emplace_back();
      continue;
    }
    const Coefficient& entry = table.event(channel.kind);
    Scaling scaling;
    if (const Law* const law = table.law(channel.kind); law != nullptr) {
      const Block& block = activity.blocks()[channel.block];
      const Sizes now = sizes.of(block, entry.memory, entry.crossbar);
      require_sizes(*law, now, channel.kind, block.name);
      scaling = scaling_of(*law, parse_sizes(entry.at).value_or(Sizes{}), now);
    }
    channels_.push_back(events_[channel.kind] * scaling.factor);
    scalings_.push_back(std::move(scaling));
  }
  for (const Block& block : activity.blocks()) {
    idle_.emplace_back();
    for (std::size_t kind = 0; kind < idle_kinds().size(); ++kind)
      if (block.type == idle_kinds()[kind].type) idle_.back() += idle_power(kind, block);
    standby_.emplace_back();
    if (device != nullptr && block.type->off_chip)
      for (const auto& [name, value] : block.properties)
        if (name == "channels") standby_.back() = device->standby.interval() * value;
  }
}

Interval EnergyModel::idle_clock(std::size_t kind, const Block& block) const {
  const double at = table_.idle(kind).at.bits;
  const double size = areas_ == nullptr || at == 0 ? 1 : clocked_bits(table_.idle_law, block.area) / at;
  return idle_clock_[kind] * (block.clock * size);
}

Interval EnergyModel::idle_leakage(std::size_t kind, const Block& block) const {
  const double at = table_.idle(kind).at.area;
  const double size =
      areas_ == nullptr || at == 0 ? 1 : leaking_area(table_.idle_law, *areas_, block.area) / at;
  return idle_leakage_[kind] * size;
}

void EnergyModel::leave_out(const Activity& activity, const base::BlockType& type) {
  for (std::size_t b = 0; b < idle_.size(); ++b)
    if (activity.blocks()[b].type == &type) idle_[b] = {};
}

Interval EnergyModel::active(const std::vector<double>& counts, bool on_chip) const {
  Interval sum;
  for (std::size_t i = 0; i < counts.size(); ++i)
    if (is_off_chip_[i] != on_chip) sum += channels_[i] * counts[i];
  return sum;
}

std::vector<Interval> EnergyModel::by_kind(const Activity& activity,
                                           const std::vector<double>& counts) const {
  std::vector<Interval> sums(event_kinds().size());
  for (std::size_t i = 0; i < counts.size(); ++i)
    sums[activity.channels()[i].kind] += channels_[i] * counts[i];
  return sums;
}

Interval EnergyModel::idle() const {
  Interval sum;
  for (const Interval& block : idle_) sum += block;
  return sum;
}

Interval EnergyModel::standby() const {
  Interval sum;
  for (const Interval& block : standby_) sum += block;
  return sum;
}

EnergyNode EnergyModel::tree(const Activity& activity, const std::vector<double>& counts,
                             double cycles) const {
  EnergyNode root;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const Activity::Channel& channel = activity.channels()[i];
    const Block& block = activity.blocks()[channel.block];
    node_at(root, path_of(block, event_kinds()[channel.kind].place)).active += channels_[i] * counts[i];
    node_at(root, block.node).unit = block.unit;
  }
  for (const IdleKind& kind : idle_kinds())
    for (std::size_t b = 0; b < idle_.size(); ++b)
      if (const Block& block = activity.blocks()[b]; block.type == kind.type) {
        node_at(root, path_of(block, kind.place)).idle +=
            idle_[b] * (seconds(cycles) * kPicojoulePerMillijoule);
        node_at(root, block.node).unit = block.unit;
      }
  for (std::size_t b = 0; b < standby_.size(); ++b)
    if (const Block& block = activity.blocks()[b]; block.type->off_chip)
      node_at(root, path_of(block, standby_[b].high > 0 ? "standby" : "")).idle +=
          standby_[b] * (seconds(cycles) * kPicojoulePerMillijoule);
  sum_up(root);
  return root;
}

}  // namespace spica::power
