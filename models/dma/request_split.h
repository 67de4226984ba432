// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

namespace spica::dma {

/// One aligned request that covers the front of a row segment.
struct Request {
  std::uint32_t address;  // aligned to bytes
  std::uint32_t bytes;    // 32 or 64
  std::uint32_t offset;   // of the first wanted byte in the request
  std::uint32_t covered;  // wanted bytes
};

/// Of 32 and 64 bytes (up to `max_request`) the one that covers more of the remaining segment, the
/// smaller one if they cover the same (gemmini DMA.scala). A misaligned start therefore costs an
/// extra request.
inline Request split_request(std::uint32_t position, std::uint32_t remaining, std::uint32_t max_request) {
  Request best{0, 0, 0, 0};
  for (std::uint32_t bytes = 32; bytes <= max_request; bytes *= 2) {
    const std::uint32_t offset = position & (bytes - 1);
    const std::uint32_t covered = std::min(remaining, bytes - offset);
    if (covered > best.covered) best = {position - offset, bytes, offset, covered};
  }
  return best;
}

}  // namespace spica::dma
