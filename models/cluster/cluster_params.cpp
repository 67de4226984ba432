// SPDX-License-Identifier: Apache-2.0
#include "models/cluster/cluster_params.h"

#include "models/tensor_core/styles.h"

namespace spica::cluster {

namespace {

std::string numbered(const std::string& block, std::size_t number) {
  return block + "_" + std::to_string(number);
}

}  // namespace

std::vector<WidePort> ClusterParams::wide_ports(bool host_port) const {
  using shared_memory::WideClient;
  std::vector<WidePort> ports;
  for (std::size_t unit = 0; unit < matrix_units.size(); ++unit) {
    const std::string matrix_unit = numbered("matrix_unit", unit);
    ports.push_back({WideClient::kMatrixA, matrix_unit + ".smem_a"});
    ports.push_back({WideClient::kMatrixB, matrix_unit + ".smem_b"});
    ports.push_back({WideClient::kDma, numbered("dma", unit) + ".smem"});
  }
  const tensor_core::StyleParts* const style = tensor_core::parts_of(tensor_style());
  for (std::size_t c = 0; style != nullptr && c < cores; ++c)
    for (const std::string& socket : style->wide)
      ports.push_back({WideClient::kTensorCore, numbered(style->block.name, c) + "." + socket});
  if (host_port) ports.push_back({WideClient::kHost, kHostEnd});
  return ports;
}

std::vector<std::string> ClusterParams::peripheral_masters(bool host_port) const {
  std::vector<std::string> masters;
  for (std::size_t c = 0; c < cores; ++c) masters.push_back(numbered("core", c) + ".mmio");
  if (host_port) masters.emplace_back(kHostEnd);
  return masters;
}

std::vector<std::string> ClusterParams::bus_masters() const {
  std::vector<std::string> masters;
  if (shared_icache.present) masters.emplace_back("shared_icache.out");
  for (std::size_t c = 0; c < cores; ++c) {
    if (!shared_icache.present) masters.push_back(numbered("icache", c) + ".out");
    if (!mio.shared_data_path) masters.push_back(numbered("dcache", c) + ".out");
  }
  if (mio.shared_data_path) masters.emplace_back("dcache.out");
  for (std::size_t unit = 0; unit < matrix_units.size(); ++unit)
    masters.push_back(numbered("dma", unit) + ".gmem");
  return masters;
}

}  // namespace spica::cluster
