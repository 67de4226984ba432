// SPDX-License-Identifier: Apache-2.0
#include "models/host_port/host_map.h"

namespace spica::host_port {

using protocol::Route;

HostMap::Place HostMap::find(std::uint64_t address) const {
  const std::uint64_t in_registers = address - params_.registers_base;
  if (in_registers < HOST_PORT_BLOCK_BYTES)
    return {Kind::kRegisters, 0, params_.registers_base, HOST_PORT_BLOCK_BYTES, in_registers};
  const std::uint64_t in_windows = address - params_.windows_base;
  if (in_windows < params_.clusters * params_.window_stride) return find_in_window(in_windows);
  const protocol::AddressMap::Range range = guest_.range(address);
  if (range.region == nullptr || range.region->route != Route::kGlobal) return {};
  return {Kind::kGlobal, 0, range.begin, range.size, address};
}

/// A window maps everything that a core of the cluster sees, except global memory: shared memory and peripherals,
/// wherever they are.
HostMap::Place HostMap::find_in_window(std::uint64_t offset) const {
  const auto cluster = static_cast<unsigned>(offset / params_.window_stride);
  const std::uint64_t inside = offset % params_.window_stride;
  const std::uint64_t guest = params_.cluster_base + inside;
  const protocol::AddressMap::Range range = guest_.range(guest);
  if (range.region == nullptr) return {};
  const std::uint64_t begin =
      params_.windows_base + cluster * params_.window_stride + (range.begin - params_.cluster_base);
  switch (range.region->route) {
    case Route::kShared: return {Kind::kShared, cluster, begin, range.size, guest - range.region->base};
    case Route::kPeripheral: return {Kind::kPeripheral, cluster, begin, range.size, guest};
    default: return {};
  }
}

}  // namespace spica::host_port
