// SPDX-License-Identifier: Apache-2.0
#include "models/cluster/completed_params.h"

namespace spica::cluster {

ClusterParams completed(const ClusterParams& params, const ClusterPlace& place) {
  ClusterParams p = params;
  p.icache.ports = 1;
  p.shared_icache.ports = p.cores;
  p.dcache.ports = p.mio.full() * (p.core.lanes + 1);
  p.coalescer.lanes = p.core.lanes;
  p.coalescer.sectors = p.dcache.sectors;
  p.coalescer.sector_bytes = p.dcache.line_bytes / p.dcache.sectors;
  p.core.tensor_style = p.tensor_style();
  p.core.lane_stream = p.core.offload.enabled;
  p.core.reuse.warps = p.core.warps;
  p.tensor_core.warps = p.core.warps;
  // Without an operand stage of their own, micro-ops wait in the lines of the core.
  p.tensor_core.dispatch_depth =
      p.tensor_core.style == tensor_core::Style::kSynchronous && !p.core.own_tensor_operands
          ? 1
          : p.core.operand_depth + 1;
  p.tensor_core.dispatch_interval = p.core.dispatch_interval;
  p.shared_memory.base = p.memory_map.shared_base;
  p.mio.cores = p.cores;
  p.multicast.cores = p.cores;
  p.multicast.warps = p.core.warps;
  p.shared_memory.cores = p.mio.present ? p.mio.count() : p.cores;
  p.shared_memory.lanes = p.core.lanes;
  for (std::size_t unit = 0; unit < p.matrix_units.size(); ++unit) {
    p.matrix_units[unit].shared_bytes = p.shared_memory.size;
    p.matrix_units[unit].unit = unit;
    p.matrix_units[unit].dma_scales = p.dma.scale_units != 0;
    p.matrix_units[unit].dma_transposes = p.dma.transposer;
  }
  p.barrier.cores = p.cores;
  p.console.base = p.memory_map.shared_base + p.shared_memory.size;
  p.console.size = p.cores * p.memory_map.print_bytes_per_core;
  p.peripheral_bus.masters = p.peripheral_masters(place.host_port).size();
  p.peripheral_bus.targets = peripherals(p.memory_map, p.map_inputs(place.windows)).size();
  p.shared_memory.wide_ports.clear();
  for (const WidePort& port : p.wide_ports(place.host_port))
    p.shared_memory.wide_ports.push_back(port.client);
  p.coalescer.threads = place.all_cores * p.core.warps * p.core.lanes;
  return p;
}

}  // namespace spica::cluster
