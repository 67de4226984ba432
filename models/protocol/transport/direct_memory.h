// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <tlm>

#include "models/protocol/payload/request_info.h"

namespace spica::protocol {

/// Access to the data of global memory through a socket, for blocks that model only timing (a cache) and move data when
/// a request takes effect. Uses a direct pointer if the memory grants one, debug transport otherwise. Takes no time. If
/// the memory supports neither, the first access is an SC_REPORT_ERROR.
class DirectMemory {
 public:
  explicit DirectMemory(tlm::tlm_initiator_socket<>& socket) : socket_(socket) {}

  /// Both return false if an address of the range does not exist.
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

  /// True if one comparison shows that a range of at most kManyBytes is inside. False says nothing.
  bool surely(std::uint64_t address, unsigned bytes) const {
    return address - start_ < sure_ && bytes <= kManyBytes;
  }
  /// Requests a pointer to the range. False: none covers all of it.
  bool find(std::uint64_t address, unsigned bytes);
  bool denied(std::uint64_t address) const { return address >= denied_start_ && address <= denied_end_; }
  bool request(std::uint64_t address);
  bool debug(tlm::tlm_command command, std::uint64_t address, unsigned char* data, unsigned bytes);

  tlm::tlm_initiator_socket<>& socket_;
  unsigned char* base_ = nullptr;
  std::uint64_t sure_ = 0;  // number of bytes from start_ on at which kManyBytes may begin
  std::uint64_t start_ = 1, end_ = 0;  // empty: nothing granted yet
  std::uint64_t denied_start_ = 1, denied_end_ = 0;  // range in which the last request was refused
  bool moves_ = false;  // a debug access has moved data: this memory supports it
};

}  // namespace spica::protocol
