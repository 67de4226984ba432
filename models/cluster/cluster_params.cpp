// SPDX-License-Identifier: Apache-2.0
#include "models/cluster/cluster_params.h"

#include "models/tensor_core/styles.h"

namespace spica::cluster {

namespace {

std::string numbered(const std::string& block, std::size_t number) {
  return block + "_" + std::to_string(number);
}

}  // namespace

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
  p.peripheral_bus.masters = p.peripheral_masters().size();
  p.peripheral_bus.targets = peripherals(p.memory_map, p.map_inputs()).size();
  return p;
}

std::vector<WidePort> ClusterParams::wide_ports() const {
  using shared_memory::WideClient;
  std::vector<WidePort> ports;
  for (std::size_t unit = 0; unit < matrix_units.size(); ++unit) {
    const std::string matrix_unit = numbered("matrix_unit", unit);
    ports.push_back({WideClient::kMatrixA, matrix_unit + ".smem_a"});
    ports.push_back({WideClient::kMatrixB, matrix_unit + ".smem_b"});
    ports.push_back({WideClient::kDma, numbered("dma", unit) + ".smem"});
  }
  const tensor_core::StyleParts* const style = tensor_core::parts_of(tensor_style());
  for (std::size_t core = 0; style != nullptr && core < cores; ++core)
    for (const std::string& socket : style->wide)
      ports.push_back({WideClient::kTensorCore, numbered(style->block.name, core) + "." + socket});
  if (host_port) ports.push_back({WideClient::kHost, kHostEnd});
  return ports;
}

std::vector<std::string> ClusterParams::peripheral_masters() const {
  std::vector<std::string> masters;
  for (std::size_t core = 0; core < cores; ++core) masters.push_back(numbered("core", core) + ".mmio");
  if (host_port) masters.emplace_back(kHostEnd);
  return masters;
}

std::vector<std::string> ClusterParams::bus_masters() const {
  std::vector<std::string> masters;
  for (std::size_t core = 0; core < cores; ++core) {
    masters.push_back(numbered("icache", core) + ".out");
    if (!mio.shared_data_path) masters.push_back(numbered("dcache", core) + ".out");
  }
  if (mio.shared_data_path) masters.emplace_back("dcache.out");
  for (std::size_t unit = 0; unit < matrix_units.size(); ++unit)
    masters.push_back(numbered("dma", unit) + ".gmem");
  return masters;
}

}  // namespace spica::cluster
