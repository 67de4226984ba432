// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/coalescer/coalescer_params.h"
#include "models/protocol/payload/warp_access.h"

namespace spica::coalescer {

/// The layout of lane stacks in caches: word w of the stacks of all lanes of a warp is one block, so that lanes that
/// access the same variable share a request. Programs see each stack as contiguous; only the places in caches and DRAM
/// differ (CUDA C++ Programming Guide, device memory accesses: local memory).
///
/// Shape    stack t of `threads` ends at top - t * stride and has `stride` bytes; thread t is lane t mod lanes of its
///          warp
class LocalMemory {
 public:
  explicit LocalMemory(const Params& params)
      : top_(params.local_top),
        bytes_(params.local_stride * params.threads),
        stride_(static_cast<std::uint32_t>(params.local_stride)),
        lanes_(static_cast<std::uint32_t>(params.lanes)) {}

  bool on() const { return bytes_ != 0; }
  bool contains(std::uint32_t address) const { return top_ - 1 - address < bytes_; }
  /// The lanes of an access that are in a stack.
  protocol::WarpAccess::Local lanes_inside(const protocol::WarpAccess& access) const {
    using Local = protocol::WarpAccess::Local;
    std::uint32_t inside = 0;
    for (unsigned lane = 0; lane < lanes_; ++lane)  // without a branch, for the host's vector unit
      inside |= static_cast<std::uint32_t>(contains(access.address[lane])) << lane;
    inside &= access.mask;
    return inside == 0 ? Local::kNone : inside == access.mask ? Local::kAll : Local::kSome;
  }
  /// The address in caches of the byte at `address`.
  std::uint32_t place(std::uint32_t address) const {
    /// distance from the end, which grows downwards
    const auto distance = static_cast<std::uint32_t>(top_ - 1 - address);
    const std::uint32_t thread = distance / stride_, byte = distance % stride_;
    const std::uint32_t warp = thread / lanes_, lane = lanes_ - 1 - thread % lanes_;
    const std::uint32_t word = (warp * (stride_ / 4) + byte / 4) * lanes_ + lane;
    return static_cast<std::uint32_t>(top_ - 1 - (std::uint64_t{word} * 4 + byte % 4));
  }

 private:
  const std::uint64_t top_, bytes_;
  const std::uint32_t stride_, lanes_;
};

}  // namespace spica::coalescer
