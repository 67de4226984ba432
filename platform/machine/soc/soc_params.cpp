// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/soc/soc_params.h"

#include <algorithm>

#include "models/protocol/payload/address_map.h"

namespace spica::soc {

std::vector<cluster::Window> windows_of(const SocParams& p) {
  std::vector<cluster::Window> windows;
  if (p.command_processor.present)
    windows.push_back(
        {"command_processor", p.command_processor.registers_base, COMMAND_PROCESSOR_BLOCK_BYTES});
  for (const SlotParams& slot : p.slots)
    if (slot.registers.bytes != 0) windows.push_back({slot.name, slot.registers.base, slot.registers.bytes});
  return windows;
}

decltype(SocParams::dispatcher) SocParams::dispatcher_with_clusters() const {
  auto result = dispatcher;
  result.clusters = clusters;
  result.clusters_per_port = network.is_crossbar() ? network.clusters_per_port : 1;
  result.cores = cluster.cores;
  result.warps = cluster.core.warps;
  result.lanes = cluster.core.lanes;
  result.register_rows = cluster.core.register_rows;
  result.shared_base = cluster.memory_map.shared_base;
  result.shared_bytes = cluster.shared_memory.size;
  result.matrix_units = cluster.matrix_units.size();
  result.barriers = std::min(cluster.core.barriers, cluster.barrier.ids);
  return result;
}

decltype(SocParams::command_processor) SocParams::command_processor_with_clusters() const {
  auto result = command_processor;
  result.machine_mhz = core_mhz();
  result.clusters = clusters;
  return result;
}

std::uint64_t SocParams::l2_bytes_per_cycle() const {
  return network.is_crossbar() ? network.packet_bytes * std::min(cluster_ports(), l2.slices) : bus.beat_bytes;
}

protocol::AddressMap address_map(const SocParams& p) {
  cluster::MapInputs inputs = p.cluster.map_inputs(windows_of(p));
  inputs.global_base = p.main_memory.base;
  inputs.global_bytes = p.main_memory.size;
  return cluster::build_address_map(p.cluster.memory_map, inputs);
}

}  // namespace spica::soc
