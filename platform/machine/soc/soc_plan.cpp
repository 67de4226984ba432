// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/soc/soc_plan.h"

#include <fmt/format.h>

#include "models/assembly/kinds.h"
#include "models/cluster/cluster_plan.h"
#include "models/cluster/kinds.h"

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

/// Behind all other blocks in the tick order; `bus`: its end there.
void add_host_port(assembly::Plan& plan, const SocParams& params, const cluster::ClusterParams& cluster,
                   const std::string& bus) {
  plan.add("host_port", "host_port", port_params(params));
  plan.link("host_port.machine", "machine");
  plan.link("host_port.fault", "fault");
  plan.link("host_port.gmem", bus);
  for (unsigned i = 0; i < params.clusters; ++i) {
    const cluster::HostEnds ends = cluster_host_ends(cluster, {fmt::format("cluster_{}.", i)});
    plan.link(fmt::format("host_port.smem_{}", i), ends.shared_memory);
    plan.link(fmt::format("host_port.mmio_{}", i), ends.peripheral_bus);
  }
}

/// It ticks behind the cores: a warp that ends in a cycle is followed in the next one.
void add_dispatcher(assembly::Plan& plan, const SocParams& params, unsigned cores) {
  plan.add("dispatcher", "dispatcher", params.dispatcher_with_clusters());
  for (unsigned i = 0; i < params.clusters; ++i)
    link_dispatcher(plan, params.cluster, {fmt::format("cluster_{}.", i), i * cores}, i);
}

/// Behind the dispatcher, whose ends of kernels it follows in the next cycle; `bus`: its end there.
void add_command_processor(assembly::Plan& plan, const SocParams& params, const std::string& bus) {
  plan.add("command_processor", "command_processor", params.command_processor_with_clusters());
  plan.link("command_processor.dispatcher", "dispatcher");
  plan.link("dispatcher.progress", "command_processor.progress");
  plan.link("command_processor.gmem", bus);
  plan.link("command_processor.fault", params.host.present ? "host_port.fault_in" : "fault");
  for (unsigned i = 0; i < params.clusters; ++i)
    plan.link(cluster::window_end(cluster_of(params), {fmt::format("cluster_{}.", i)}, "command_processor"),
              fmt::format("command_processor.in_{}", i));
  if (params.command_processor.has_firmware())
    add_hart(plan, params.cluster, static_cast<unsigned>(params.clusters * params.cluster.cores),
             params.host.present ? "host_port.fault_in" : "fault");
}

}  // namespace

assembly::Plan machine_plan(const SocParams& params) {
  cluster::add_kinds();
  const auto cores = static_cast<unsigned>(params.cluster.cores);
  const auto clusters = static_cast<unsigned>(params.clusters);
  const std::vector<std::string> masters = params.cluster.bus_masters();
  auto l2 = params.l2.cache();
  l2.ports = 1;
  for (unsigned i = 0; i < clusters; ++i)
    l2.part_of_source.insert(l2.part_of_source.end(), masters.size(),
                             static_cast<std::uint8_t>(params.part_of(i)));
  auto bus = params.bus;
  bus.masters =
      clusters * masters.size() + 1 + params.host.present + params.command_processor.present;  // debug access
  bus.targets = 1;

  const cluster::ClusterParams cluster = cluster_of(params);

  assembly::Plan plan;
  if (!params.main_memory.external) plan.add("main_memory", "main_memory", params.main_memory);
  plan.add("l2", "cache", l2);
  plan.add("bus", "crossbar", bus);
  if (!params.main_memory.external) plan.set_clock("main_memory", params.memory_mhz());
  for (const char* block : {"l2", "bus"}) plan.set_clock(block, params.bus_mhz());
  plan.link("l2.out", params.main_memory.external ? "memory" : "main_memory.in");
  plan.link("bus.out_0", "l2.in_0");
  unsigned port = 0;
  for (unsigned i = 0; i < clusters; ++i) {
    const cluster::ClusterPlace place{fmt::format("cluster_{}.", i), i * cores, clusters * cores,
                                      params.host.present ? "host_port.fault_in" : "fault"};
    add_cluster(plan, cluster, place);
    for (const std::string& master : masters) plan.link(place.box + master, fmt::format("bus.in_{}", port++));
  }
  if (params.dispatcher.present) add_dispatcher(plan, params, cores);
  plan.link("host", fmt::format("bus.in_{}", port++));
  if (params.command_processor.present) add_command_processor(plan, params, fmt::format("bus.in_{}", port++));
  if (params.host.present) add_host_port(plan, params, cluster, fmt::format("bus.in_{}", port));
  add_slots(plan, params);
  return plan;
}

bool is_foreign(const assembly::Plan& plan, const std::string& block) {
  const assembly::Slot* const slot = plan.find(block);
  return slot != nullptr && assembly::kinds().at(slot->kind).foreign;
}

std::string plan_text(const SocParams& params) {
  const assembly::Plan plan = machine_plan(params);
  std::string text;
  for (const assembly::Slot& slot : plan.slots()) {
    const bool own_clock = slot.clock_mhz != 0 && slot.clock_mhz != params.core_mhz();
    text += fmt::format("{}: {}{}\n", slot.name, slot.kind,
                        own_clock ? fmt::format(", {:g} MHz", slot.clock_mhz) : std::string());
    for (const assembly::Link& link : plan.links())
      if (const assembly::End end = plan.end(link.from); end.slot == slot.name)
        text += fmt::format("  {} -> {}\n", end.socket, link.to);
  }
  return text;
}

}  // namespace spica::soc
