// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/shared_memory/shared_memory_params.h"

namespace spica::shared_memory {

/// Round-robin turns on the unaligned path of one direction (or of both).
///
///   fully serialised   one lane of one core is offered to its bank per cycle
///   core serialised    all unaligned lanes of one core
///   crossbar           those of every core, beginning with the one whose turn it is
///
/// An offered lane may find its word bank taken; on a serialised path no other then overtakes it.
class UnalignedPath {
 public:
  UnalignedPath(Unaligned policy, unsigned cores, unsigned lanes)
      : policy_(policy), cores_(cores), lanes_(lanes) {}
  explicit UnalignedPath(const SharedMemoryParams& params)
      : UnalignedPath(params.unaligned, static_cast<unsigned>(params.cores),
                      static_cast<unsigned>(params.lanes)) {}

  /// The core whose turn it is among `cores` (one bit each, not 0); `lanes_of(core)` are its lanes.
  template <class LanesOf>
  unsigned pick_core(std::uint64_t cores, LanesOf&& lanes_of) const {
    // The core at the pointer is first only if it has lanes at or after the pointer.
    const bool spent = (cores >> core_ & 1) != 0 && behind(lanes_of(core_)) == 0;
    const unsigned start = spent ? core_ + 1 : core_;
    const std::uint64_t ahead = start < 64 ? cores & (~std::uint64_t{0} << start) : 0;
    return static_cast<unsigned>(__builtin_ctzll(ahead != 0 ? ahead : cores));
  }
  /// The lanes of `core` that are offered, a subset of its unaligned `lanes`.
  std::uint32_t pick_lanes(unsigned core, std::uint32_t lanes) const {
    if (policy_ != Unaligned::kFullySerialised) return lanes;
    if (core == core_ && behind(lanes) != 0) lanes = behind(lanes);
    return lanes & (~lanes + 1);
  }
  /// Some offered lanes were served, `last` is the highest: advances the turn.
  void served(unsigned core, unsigned last) {
    const bool next_lane = policy_ == Unaligned::kFullySerialised && last + 1 < lanes_;
    lane_ = next_lane ? last + 1 : 0;
    core_ = next_lane ? core : (core + 1 == cores_ ? 0 : core + 1);
  }
  bool serialised() const { return policy_ != Unaligned::kCrossbar; }
  void reset() { core_ = lane_ = 0; }

  /// Not saved: policy_, cores_, lanes_.
  template <class Archive>
  void serialize(Archive& archive) {
    archive(core_, lane_);
  }

 private:
  std::uint32_t behind(std::uint32_t lanes) const { return lanes & (~std::uint32_t{0} << lane_); }

  Unaligned policy_;
  unsigned cores_, lanes_;
  unsigned core_ = 0, lane_ = 0;  // position of the turn
};

}  // namespace spica::shared_memory
