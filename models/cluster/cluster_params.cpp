// SPDX-License-Identifier: Apache-2.0
#include "models/cluster/cluster_params.h"

#include "models/tensor_core/styles.h"

namespace spica::cluster {

ClusterParams ClusterParams::completed() const {
  ClusterParams p = *this;
  p.icache.ports = 1;
  p.dcache.ports = p.mio.full() * (p.core.lanes + 1);
  p.coalescer.lanes = p.core.lanes;
  p.coalescer.sectors = p.dcache.sectors;
  p.coalescer.sector_bytes = p.dcache.line_bytes / p.dcache.sectors;
  p.core.tensor_style = p.tensor_style();
  p.core.lane_stream = p.core.offload.enabled;
  p.core.reuse.warps = p.core.warps;
  p.tensor_core.warps = p.core.warps;
  p.tensor_core.dispatch_depth = p.core.operand_depth + 1;
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
  p.peripheral_bus.masters = p.cores + (p.host_port ? 1 : 0);
  p.peripheral_bus.targets = window_target(p.matrix_units.size(), p.windows.size());
  return p;
}

std::vector<shared_memory::WideClient> ClusterParams::wide_ports() const {
  using shared_memory::WideClient;
  std::vector<WideClient> ports;
  for (std::size_t unit = 0; unit < matrix_units.size(); ++unit)
    ports.insert(ports.end(), {WideClient::kMatrixA, WideClient::kMatrixB, WideClient::kDma});
  if (const tensor_core::StyleParts* style = tensor_core::parts_of(tensor_style()))
    ports.insert(ports.end(), cores * style->wide.size(), WideClient::kTensorCore);
  if (host_port) ports.push_back(WideClient::kHost);
  return ports;
}

}  // namespace spica::cluster
