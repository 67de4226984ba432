// SPDX-License-Identifier: Apache-2.0
// The extension of a dispatch packet for a matrix product: kernels for several concurrent products.
#pragma once

#include <array>
#include <cstdint>

#include "models/protocol/host_queues/work_group.h"

namespace spica::protocol {

/// The degree of concurrency, the number of products that run at once: 1, 2, 4, 8 or 16.
inline constexpr unsigned kDegrees = 5;
constexpr unsigned degree_of(unsigned index) { return 1u << index; }
/// The index of the largest degree that is at most `products`, which must not be 0.
unsigned degree_index(std::uint64_t products);

/// A table in memory, addressed by a dispatch packet (Packet::choice): the product C[m x n] = A[m x k] * B[k x n], and
/// for each degree the best kernel at that degree. All kernels take the arguments of the packet.
///
/// Format   words of 32 bits in the order of the members
/// Source   arXiv:2409.02227 section 4.4 (extended packet)
struct KernelChoice {
  struct Variant {
    std::uint32_t object = 0;  // address of its KernelObject
    Index3 block{1, 1, 1}, grid{1, 1, 1};  // threads, as in Packet
    std::uint32_t shared_bytes = 0;
    std::uint32_t cycles =
        0;  // measured cycles for that number of concurrent products, from the first launch to the last end; 0: unknown
  };
  std::uint32_t m = 0, n = 0, k = 0;
  std::array<Variant, kDegrees> variants;  // by index of the degree

  static constexpr unsigned kWords = 3 + kDegrees * 9, kBytes = 4 * kWords;
  using Bytes = std::array<unsigned char, kBytes>;
  Bytes encode() const;
  static KernelChoice decode(const Bytes& bytes);
};

}  // namespace spica::protocol
