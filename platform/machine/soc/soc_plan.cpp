// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/soc/soc_plan.h"

#include <fmt/format.h>

#include <map>
#include <memory>

#include "models/assembly/kinds.h"
#include "models/cluster/cluster_plan.h"
#include "models/cluster/kinds.h"
#include "models/protocol/payload/slice_map.h"

namespace spica::soc {

namespace {

auto port_params(const SocParams& p) {
  auto result = p.host;
  result.clusters = p.clusters;
  result.cores = p.clusters * p.cluster.cores;
  result.cluster_base = p.cluster.memory_map.shared_base;
  result.shared_line = p.cluster.shared_memory.words * p.cluster.shared_memory.word_bytes;
  return result;
}

cluster::ClusterPlace place_of(const SocParams& params, unsigned number) {
  const auto cores = static_cast<unsigned>(params.cluster.cores),
             clusters = static_cast<unsigned>(params.clusters);
  return {fmt::format("cluster_{}.", number),
          number * cores,
          clusters * cores,
          params.host.present ? "host_port.fault_in" : "fault",
          params.host.present,
          windows_of(params)};
}

/// Behind all other blocks in the tick order; `bus`: its end there.
void add_host_port(assembly::Plan& plan, const SocParams& params, const std::string& bus) {
  plan.add("host_port", "host_port", port_params(params));
  plan.link("host_port.machine", "machine");
  plan.link("host_port.fault", "fault");
  plan.link("host_port.gmem", bus);
  for (unsigned i = 0; i < params.clusters; ++i) {
    const cluster::HostEnds ends = cluster_host_ends(params.cluster, place_of(params, i));
    plan.link(fmt::format("host_port.smem_{}", i), ends.shared_memory);
    plan.link(fmt::format("host_port.mmio_{}", i), ends.peripheral_bus);
  }
}

/// It ticks behind the cores: a warp that ends in a cycle is followed in the next one.
void add_dispatcher(assembly::Plan& plan, const SocParams& params) {
  plan.add("dispatcher", "dispatcher", params.dispatcher_with_clusters());
  for (unsigned i = 0; i < params.clusters; ++i)
    link_dispatcher(plan, params.cluster, place_of(params, i), i);
}

/// Behind the dispatcher, whose ends of kernels it follows in the next cycle; `bus`: its end there.
void add_command_processor(assembly::Plan& plan, const SocParams& params, const std::string& bus) {
  plan.add("command_processor", "command_processor", params.command_processor_with_clusters());
  plan.link("command_processor.dispatcher", "dispatcher");
  plan.link("dispatcher.progress", "command_processor.progress");
  plan.link("command_processor.gmem", bus);
  plan.link("command_processor.fault", params.host.present ? "host_port.fault_in" : "fault");
  for (unsigned i = 0; i < params.clusters; ++i)
    plan.link(cluster::window_end(params.cluster, place_of(params, i), "command_processor"),
              fmt::format("command_processor.in_{}", i));
  if (params.command_processor.has_firmware())
    add_hart(plan, params.cluster, static_cast<unsigned>(params.clusters * params.cluster.cores),
             params.host.present ? "host_port.fault_in" : "fault");
}

/// Memory, level 2 cache, and the bus or crossbar before it, which the blocks behind reach at "<result>.in_<n>".
class MemorySystem {
  auto bus() const {
    auto bus = p_.bus;
    bus.masters = p_.clusters * masters_ + others_;
    bus.targets = 1;
    return bus;
  }

  auto crossbar() const {
    auto network = p_.network;
    network.slices = p_.l2.slices;
    network.port_of.clear();
    network.cluster_of.clear();
    for (std::uint64_t i = 0; i < p_.clusters; ++i) {
      network.port_of.insert(network.port_of.end(), masters_,
                             static_cast<std::uint16_t>(i / p_.network.clusters_per_port));
      network.cluster_of.insert(network.cluster_of.end(), masters_, static_cast<std::uint16_t>(i));
    }
    for (std::uint64_t i = 0; i < others_; ++i) {
      network.port_of.push_back(static_cast<std::uint16_t>(p_.cluster_ports() + i));
      network.cluster_of.push_back(static_cast<std::uint16_t>(p_.clusters));
    }
    return network;
  }

 public:
  explicit MemorySystem(const SocParams& params)
      : p_(params),
        masters_(params.cluster.bus_masters().size()),
        others_(1 + params.host.present + params.command_processor.present) {}  // 1: debug access

  std::string add(assembly::Plan& plan) const {
    const std::string name = p_.network.is_crossbar() ? "network" : "bus";
    std::shared_ptr<const protocol::SliceMap> map;
    if (p_.l2.slices > 1)
      map = std::make_shared<const protocol::SliceMap>(p_.l2.slices, p_.network.interleave_bytes,
                                                       p_.network.hash);
    if (!p_.main_memory.external) add_memory(plan, map);
    for (std::uint64_t i = 0; i < p_.l2.slices; ++i) add_l2(plan, i, name, map);
    if (p_.network.is_crossbar()) plan.add(name, "network", crossbar());
    else plan.add(name, "crossbar", bus());
    plan.set_clock(name, p_.bus_mhz());
    return name;
  }

 private:
  void add_memory(assembly::Plan& plan, const std::shared_ptr<const protocol::SliceMap>& map) const {
    auto memory = p_.main_memory;
    memory.slices = map;
    if (map != nullptr) memory.interleave_bytes = p_.network.interleave_bytes;
    plan.add("main_memory", "main_memory", memory);
    plan.set_clock("main_memory", p_.memory_mhz());
  }

  void add_l2(assembly::Plan& plan, std::uint64_t number, const std::string& before,
              const std::shared_ptr<const protocol::SliceMap>& map) const {
    auto l2 = p_.l2.cache();
    l2.ports = 1;
    l2.slice_map = map;
    for (unsigned i = 0; i < p_.clusters; ++i)
      l2.part_of_source.insert(l2.part_of_source.end(), masters_, static_cast<std::uint8_t>(p_.part_of(i)));
    const std::string name = map == nullptr ? "l2" : fmt::format("l2_{}", number);
    plan.add(name, "cache", l2);
    plan.set_clock(name, p_.bus_mhz());
    const std::string port = number == 0 ? "main_memory.in" : fmt::format("main_memory.in_{}", number);
    plan.link(name + ".out", p_.main_memory.external ? "memory" : port);
    plan.link(fmt::format("{}.out_{}", before, number), name + ".in_0");
  }

  const SocParams& p_;
  const std::uint64_t masters_;  // of a cluster
  const std::uint64_t others_;
};

}  // namespace

assembly::Plan machine_plan(const SocParams& params) {
  cluster::add_kinds();
  const auto clusters = static_cast<unsigned>(params.clusters);
  const std::vector<std::string> masters = params.cluster.bus_masters();

  assembly::Plan plan;
  const std::string bus = MemorySystem(params).add(plan);
  unsigned port = 0;
  for (unsigned i = 0; i < clusters; ++i) {
    const cluster::ClusterPlace place = place_of(params, i);
    add_cluster(plan, params.cluster, place);
    for (const std::string& master : masters)
      plan.link(place.box + master, fmt::format("{}.in_{}", bus, port++));
  }
  if (params.dispatcher.present) add_dispatcher(plan, params);
  plan.link("host", fmt::format("{}.in_{}", bus, port++));
  if (params.command_processor.present)
    add_command_processor(plan, params, fmt::format("{}.in_{}", bus, port++));
  if (params.host.present) add_host_port(plan, params, fmt::format("{}.in_{}", bus, port));
  add_slots(plan, params);
  return plan;
}

bool is_foreign(const assembly::Plan& plan, const std::string& block) {
  const assembly::Slot* const slot = plan.find(block);
  return slot != nullptr && assembly::kinds().at(slot->kind).foreign;
}

std::string plan_text(const SocParams& params) {
  const assembly::Plan plan = machine_plan(params);
  std::map<std::string, std::string> links;  // of each block
  for (const assembly::Link& link : plan.links()) {
    const assembly::End end = plan.end(link.from);
    links[end.slot] += fmt::format("  {} -> {}\n", end.socket, link.to);
  }
  std::string text;
  for (const assembly::Slot& slot : plan.slots()) {
    const bool own_clock = slot.clock_mhz != 0 && slot.clock_mhz != params.core_mhz();
    text += fmt::format("{}: {}{}\n", slot.name, slot.kind,
                        own_clock ? fmt::format(", {:g} MHz", slot.clock_mhz) : std::string());
    text += links[slot.name];
  }
  return text;
}

}  // namespace spica::soc
