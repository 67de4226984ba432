// SPDX-License-Identifier: Apache-2.0
// What the packet of a matrix product says beyond its kernel: kernels for several products at once.
#pragma once

#include <array>
#include <cstdint>

#include "models/protocol/work_group.h"

namespace spica::protocol {

/// How many products run at once: degrees 1, 2, 4, 8 and 16.
inline constexpr unsigned kDegrees = 5;
constexpr unsigned degree_of(unsigned index) { return 1u << index; }
/// The index of the largest degree that is at most `products`, which is not 0.
unsigned degree_index(std::uint64_t products);

/// A table in memory, whose address is in a dispatch packet (Packet::choice): the product C[m x n] =
/// A[m x k] * B[k x n], and for each degree the kernel that is best when that number runs at once. All take the
/// arguments of the packet.
///
/// Format   words of 32 bits in the order of the members
/// Source   arXiv:2409.02227 section 4.4 (extended packet)
struct KernelChoice {
  struct Variant {
    std::uint32_t object = 0;  // address of its KernelObject
    Index3 block{1, 1, 1}, grid{1, 1, 1};  // threads, as in Packet
    std::uint32_t shared_bytes = 0;
    std::uint32_t cycles =
        0;  // measured: of that number of products at once, from the first launch to the last end; 0: not known
  };
  std::uint32_t m = 0, n = 0, k = 0;
  std::array<Variant, kDegrees> variants;  // by index of the degree

  static constexpr unsigned kWords = 3 + kDegrees * 9, kBytes = 4 * kWords;
  using Bytes = std::array<unsigned char, kBytes>;
  Bytes encode() const;
  static KernelChoice decode(const Bytes& bytes);
};

}  // namespace spica::protocol
