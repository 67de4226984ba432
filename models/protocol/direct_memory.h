// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <tlm>

#include "models/protocol/request_info.h"

namespace spica::protocol {

/// The data of global memory as seen through a socket: the place where a block that models only timing
/// (a cache) moves data when a request takes effect. Uses a direct pointer where the memory grants one
/// and debug transport elsewhere. Takes no time. A memory that has neither is an SC_REPORT_ERROR with the first access.
class DirectMemory {
 public:
  explicit DirectMemory(tlm::tlm_initiator_socket<>& socket) : socket_(socket) {}

  /// Both return false when an address of the range does not exist.
  bool read(std::uint64_t address, unsigned char* to, unsigned bytes) {
    if (!surely(address, bytes) && !find(address, bytes))
      return debug(tlm::TLM_READ_COMMAND, address, to, bytes);
    std::memcpy(to, base_ + (address - start_), bytes);
    return true;
  }
  bool write(std::uint64_t address, const unsigned char* from, unsigned bytes) {
    if (!surely(address, bytes) && !find(address, bytes))
      return debug(tlm::TLM_WRITE_COMMAND, address, const_cast<unsigned char*>(from), bytes);
    std::memcpy(base_ + (address - start_), from, bytes);
    return true;
  }

 private:
  static constexpr std::uint64_t kManyBytes = 128;

  /// The range is inside, as one comparison says for up to kManyBytes.
  bool surely(std::uint64_t address, unsigned bytes) const {
    return address - start_ < sure_ && bytes <= kManyBytes;
  }
  /// False: there is no pointer to all of the range.
  bool find(std::uint64_t address, unsigned bytes);
  bool denied(std::uint64_t address) const { return address >= denied_start_ && address <= denied_end_; }
  bool request(std::uint64_t address);
  bool debug(tlm::tlm_command command, std::uint64_t address, unsigned char* data, unsigned bytes);

  tlm::tlm_initiator_socket<>& socket_;
  unsigned char* base_ = nullptr;
  std::uint64_t sure_ = 0;  // from start_ on, that many bytes can be the first of kManyBytes
  std::uint64_t start_ = 1, end_ = 0;  // nothing granted yet
  std::uint64_t denied_start_ = 1, denied_end_ = 0;  // where the last request was turned down
  bool moves_ = false;  // a debug access has moved data
};

}  // namespace spica::protocol
