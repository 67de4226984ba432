// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>

#include "models/protocol/payload/reservations.h"

namespace spica::protocol {

/// A memory that the fast mode accesses through a pointer, and the reservations that stores must update.
struct PointedMemory {
  std::uint64_t base = 0, size = 0;  // guest addresses
  unsigned char* data = nullptr;
  Reservations* reservations = nullptr;  // keyed by offset

  bool contains(std::uint64_t address, std::uint64_t bytes) const {
    return address >= base && bytes <= size && address - base <= size - bytes;
  }
  unsigned char* at(std::uint64_t address) const { return data + (address - base); }
  void store(const Origin& origin, std::uint64_t address, const void* from, unsigned bytes) const {
    std::memcpy(at(address), from, bytes);
    if (reservations->size() != 0) reservations->store(address, bytes);
    reservations->stored(origin, address, bytes);
  }
};

}  // namespace spica::protocol
