// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>

namespace spica::opencl {

/// Places of buffers in the memory of a device: best fit, in multiples of kAlignment bytes. Not thread-safe.
class Allocator {
 public:
  static constexpr std::uint64_t kAlignment = 128;  // OpenCL: at least the largest type, long16

  /// `base` is rounded up, the end down.
  Allocator(std::uint64_t base, std::uint64_t bytes);

  /// The smallest free range that is large enough; of equal ones, that with the lowest address. std::nullopt:
  /// none.
  std::optional<std::uint64_t> allocate(std::uint64_t bytes);
  /// Frees a range. `address` must be from allocate().
  void release(std::uint64_t address);

  std::uint64_t free_bytes() const;
  std::uint64_t largest_free_bytes() const;

 private:
  std::map<std::uint64_t, std::uint64_t> free_, used_;  // bytes by address
};

}  // namespace spica::opencl
