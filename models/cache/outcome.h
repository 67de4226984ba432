// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace spica::cache {

/// The result of one cycle of a bank; counted by the cache.
enum class Outcome : std::uint8_t {
  kNothing,
  kReadHit,
  kReadMiss,
  kReadMerged,
  kWriteHit,
  kWriteMiss,
  kWriteMerged,
  kReplay,
  kFill,
  kBlockedMshr,    // no MSHR, or no place for another waiting request
  kBlockedMemory,  // no place in the queue to memory
  kBlockedResponse,
  kHazard,  // read directly after a write to its line
};
inline constexpr std::size_t kOutcomes = static_cast<std::size_t>(Outcome::kHazard) + 1;

}  // namespace spica::cache
