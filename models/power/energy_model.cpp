// SPDX-License-Identifier: Apache-2.0
#include "models/power/energy_model.h"

#include <algorithm>
#include <cmath>

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

}  // namespace

OperatingPoint operating_point(const PowerParams& params, const EnergyTable& table, double clock_mhz) {
  return {params.technology_nm > 0 ? params.technology_nm : table.technology_nm,
          params.voltage > 0 ? params.voltage : table.voltage, clock_mhz};
}

const EnergyNode* EnergyNode::find(const std::string& path) const {
  const std::size_t end = std::min(path.find('/'), path.size());
  for (const EnergyNode& child : children)
    if (child.name == path.substr(0, end))
      return end < path.size() ? child.find(path.substr(end + 1)) : &child;
  return nullptr;
}

EnergyModel::EnergyModel(const EnergyTable& table, const OperatingPoint& point) : point_(point) {
  const double technology = std::pow(point.technology_nm / table.technology_nm, table.technology_exponent);
  const double voltage = point.voltage / table.voltage;
  const double dynamic = technology * voltage * voltage;
  const double clock = dynamic * point.clock_mhz / table.clock_mhz;
  const double leakage = technology * std::pow(voltage, table.leakage_exponent);
  for (std::size_t kind = 0; kind < event_kinds().size(); ++kind)
    events_.push_back(table.picojoule(kind) * (off_chip(event_kinds()[kind]) ? 1 : dynamic));
  for (std::size_t kind = 0; kind < idle_kinds().size(); ++kind) {
    const IdlePower& idle = table.idle(kind);
    idle_clock_.push_back(Interval{idle.clock.low, idle.clock.nominal, idle.clock.high} * clock);
    idle_leakage_.push_back(Interval{idle.leakage.low, idle.leakage.nominal, idle.leakage.high} * leakage);
  }
}

Interval EnergyModel::active(const Activity& activity, const std::vector<double>& counts,
                             bool on_chip) const {
  Interval sum;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const Activity::Channel& channel = activity.channels()[i];
    if (off_chip(event_kinds()[channel.kind]) != on_chip) sum += events_[channel.kind] * counts[i];
  }
  return sum;
}

Interval EnergyModel::idle(const Activity& activity) const {
  Interval sum;
  for (std::size_t kind = 0; kind < idle_kinds().size(); ++kind)
    for (const Block& block : activity.blocks())
      if (block.type == idle_kinds()[kind].type) sum += idle_power(kind, block);
  return sum;
}

EnergyNode EnergyModel::tree(const Activity& activity, const std::vector<double>& counts,
                             double cycles) const {
  EnergyNode root;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const Activity::Channel& channel = activity.channels()[i];
    const Block& block = activity.blocks()[channel.block];
    node_at(root, path_of(block, event_kinds()[channel.kind].place)).active +=
        events_[channel.kind] * counts[i];
    node_at(root, block.node).unit = block.unit;
  }
  for (std::size_t kind = 0; kind < idle_kinds().size(); ++kind)
    for (const Block& block : activity.blocks())
      if (block.type == idle_kinds()[kind].type) {
        node_at(root, path_of(block, idle_kinds()[kind].place)).idle +=
            idle_power(kind, block) * (seconds(cycles) * kPicojoulePerMillijoule);
        node_at(root, block.node).unit = block.unit;
      }
  sum_up(root);
  return root;
}

}  // namespace spica::power
