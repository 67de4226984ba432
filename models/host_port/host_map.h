// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>

#include "models/host_port/host_port_params.h"
#include "models/protocol/payload/address_map.h"

namespace spica::host_port {

/// The address map of a host: registers of the port, a window into each cluster, and global memory at its guest
/// addresses.
class HostMap {
 public:
  enum class Kind : std::uint8_t { kNone, kRegisters, kGlobal, kShared, kPeripheral };
  struct Place {
    Kind kind = Kind::kNone;
    unsigned cluster = 0;
    std::uint64_t begin = 0, size = 0;  // host addresses around it that belong to the same block
    std::uint64_t address = 0;  // address as seen by the block behind the port

    bool holds(std::uint64_t host_address, std::uint64_t bytes) const {
      return bytes <= size && host_address - begin <= size - bytes;
    }
  };

  /// `guest`: the address map of the cores.
  HostMap(const HostPortParams& params, protocol::AddressMap guest)
      : params_(params), guest_(std::move(guest)) {}

  Place find(std::uint64_t address) const;

 private:
  Place find_in_window(std::uint64_t offset) const;

  const HostPortParams params_;
  const protocol::AddressMap guest_;
};

}  // namespace spica::host_port
