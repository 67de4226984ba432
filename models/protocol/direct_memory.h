// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <tlm>

#include "models/protocol/request_info.h"

namespace spica::protocol {

/// The data of global memory as seen through a socket: the place where a block that models only timing
/// (a cache) moves data when a request takes effect. Uses a direct pointer where the memory grants one
/// and debug transport elsewhere. Takes no time.
class DirectMemory {
 public:
  explicit DirectMemory(tlm::tlm_initiator_socket<>& socket) : socket_(socket) {}

  /// Both return false when an address of the range does not exist.
  bool read(std::uint64_t address, unsigned char* to, unsigned bytes) {
    if (const unsigned char* from = pointer(address, bytes)) {
      std::memcpy(to, from, bytes);
      return true;
    }
    return debug(tlm::TLM_READ_COMMAND, address, to, bytes);
  }
  bool write(std::uint64_t address, const unsigned char* from, unsigned bytes) {
    if (unsigned char* to = pointer(address, bytes)) {
      std::memcpy(to, from, bytes);
      return true;
    }
    return debug(tlm::TLM_WRITE_COMMAND, address, const_cast<unsigned char*>(from), bytes);
  }

 private:
  unsigned char* pointer(std::uint64_t address, unsigned bytes) {
    if (address < start_ || address + bytes - 1 > end_) {
      if (denied(address)) return nullptr;
      if (!request(address) || address + bytes - 1 > end_) return nullptr;
    }
    return base_ + (address - start_);
  }
  bool denied(std::uint64_t address) const { return address >= denied_start_ && address <= denied_end_; }
  bool request(std::uint64_t address);
  bool debug(tlm::tlm_command command, std::uint64_t address, unsigned char* data, unsigned bytes);

  tlm::tlm_initiator_socket<>& socket_;
  unsigned char* base_ = nullptr;
  std::uint64_t start_ = 1, end_ = 0;                // nothing granted yet
  std::uint64_t denied_start_ = 1, denied_end_ = 0;  // where the last request was turned down
};

}  // namespace spica::protocol
