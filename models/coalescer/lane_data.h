// SPDX-License-Identifier: Apache-2.0
// Copies lane data between a warp access and its requests.
#pragma once

#include <cstdint>
#include <cstring>

#include "models/protocol/payload/payload_pool.h"

namespace spica::coalescer {

namespace lane_data {

/// Copies a row of words; the common size is a constant, which avoids a call.
inline void copy_row(void* to, const void* from, unsigned words) {
  if (words == 8) std::memcpy(to, from, 32);
  else std::memcpy(to, from, 4 * words);
}

/// Number of lanes from the lowest to the highest of `lanes`.
inline unsigned width(std::uint32_t lanes) {
  return 32 - static_cast<unsigned>(__builtin_clz(lanes) + __builtin_ctz(lanes));
}

}  // namespace lane_data

/// Writes the data stored by `lanes` into a request for their block, with byte enables; the highest lane wins. `row`:
/// adjacent lanes store adjacent words.
inline void give_lanes(const protocol::WarpAccess& access, std::uint32_t lanes, bool row,
                       protocol::LinePayload& request) {
  request.use_byte_enables();
  const std::uint64_t first = request.get_address();
  if (row) {
    const auto leader = static_cast<unsigned>(__builtin_ctz(lanes));
    const unsigned words = lane_data::width(lanes);
    const std::size_t at = access.address[leader] - first;
    lane_data::copy_row(&request.data[at], &access.data[leader], words);
    std::memset(&request.enables[at], 0xFF, 4 * words);
    return;
  }
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(rest));
    const std::size_t at = access.address[lane] - first;
    std::memcpy(&request.data[at], &access.data[lane], access.bytes);
    std::memset(&request.enables[at], 0xFF, access.bytes);
  }
}

/// Returns loaded words to all lanes of a warp on consecutive words.
inline void take_row(const protocol::LinePayload& request, unsigned lanes, protocol::WarpAccess& access) {
  const std::uint64_t at = access.address[0] - request.get_address();
  lane_data::copy_row(access.data.data(), request.data.data() + at, lanes);
}

/// Returns loaded data, zero-extended, to the lanes of an answered request. `row`: as above.
inline void take_lanes(const protocol::LinePayload& request, bool row, protocol::WarpAccess& access) {
  const std::uint32_t lanes = request.info.origin.lanes;
  const std::uint64_t first = request.get_address();
  const unsigned char* const data = request.data.data();
  if (row) {
    const auto leader = static_cast<unsigned>(__builtin_ctz(lanes));
    lane_data::copy_row(&access.data[leader], data + (access.address[leader] - first),
                        lane_data::width(lanes));
    return;
  }
  const unsigned bytes = access.bytes;
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(rest));
    const unsigned char* const from = data + (access.address[lane] - first);
    std::uint32_t value = 0;
    if (bytes == 4) std::memcpy(&value, from, 4);
    else std::memcpy(&value, from, bytes);
    access.data[lane] = value;
  }
}

}  // namespace spica::coalescer
