// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "models/protocol/payload/dma_command.h"

namespace spica::dma {

/// Saves a command of the cycle mode, whose handle is its payload. Needs protocol/payload/payload_pool.h.
template <class Archive>
void serialize_command(Archive& archive, const protocol::Move*& move, void*& handle) {
  auto* payload = static_cast<protocol::Payload*>(handle);
  archive(payload);
  handle = payload;
  move = payload != nullptr ? payload->get_extension<protocol::DmaCommand>() : nullptr;
}

/// One aligned request for the start of a row segment.
struct Request {
  std::uint32_t address;  // a multiple of `bytes`
  std::uint32_t bytes;    // 32 or 64
  std::uint32_t offset;   // position of the first wanted byte in the request
  std::uint32_t covered;  // wanted bytes
};

/// Chooses from 32 and 64 bytes (up to `max_request`) the size that covers more of the remaining segment, the
/// smaller one if they cover the same (gemmini DMA.scala). A misaligned start therefore costs an
/// extra request.
inline Request split_request(std::uint32_t position, std::uint32_t remaining, std::uint32_t max_request) {
  const auto of = [&](std::uint32_t bytes) {
    const std::uint32_t offset = position & (bytes - 1);
    return Request{position - offset, bytes, offset, std::min(remaining, bytes - offset)};
  };
  const Request small = of(32);
  if (max_request < 64) return small;
  const Request large = of(64);
  return large.covered > small.covered ? large : small;
}

/// Copies `bytes` bytes; the most frequent size, 32, needs no call.
inline void copy_bytes(unsigned char* to, const unsigned char* from, std::uint32_t bytes) {
  if (bytes == 32) std::memcpy(to, from, 32);
  else if (bytes == 64) std::memcpy(to, from, 64);
  else std::memcpy(to, from, bytes);
}

}  // namespace spica::dma
