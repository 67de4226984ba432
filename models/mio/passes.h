// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "models/base/bits.h"
#include "models/protocol/payload/warp_access.h"

namespace spica::mio {

/// Bytes of the sector that is transferred when a lane accesses any byte of it (gpgpu-sim src/gpu-cache.h,
/// SECTOR_SIZE).
inline constexpr unsigned kSectorBytes = 32;

/// Bytes moved from or to registers by the lanes of an access.
inline unsigned bytes_of(const protocol::WarpAccess& access) {
  return base::count_bits(access.mask) * access.bytes;
}

/// Number of different sectors accessed by the lanes.
inline unsigned sectors_of(const protocol::WarpAccess& access) {
  if (access.mask == 0) return 0;
  const std::uint32_t first =
      access.address[static_cast<unsigned>(__builtin_ctz(access.mask))] / kSectorBytes;
  std::uint64_t near = 0;  // sectors within 32 of the first lane's
  std::uint32_t far[protocol::kMaxLanes];
  unsigned count = 0;
  for (std::uint32_t rest = access.mask; rest != 0; rest &= rest - 1) {
    const std::uint32_t sector = access.address[static_cast<unsigned>(__builtin_ctz(rest))] / kSectorBytes;
    const std::uint32_t place = sector - first + 32;
    if (place < 64) near |= std::uint64_t{1} << place;
    else if (std::find(far, far + count, sector) == far + count) far[count++] = sector;
  }
  return count + static_cast<unsigned>(__builtin_popcountll(near));
}

/// Cycles for `bytes` on a path of `width` bytes per cycle; at least one.
inline unsigned cycles_for(unsigned bytes, unsigned width) {
  return bytes <= width ? 1 : (bytes + width - 1) / width;
}

}  // namespace spica::mio
