// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/main_memory/main_memory_params.h"

namespace spica::main_memory {

/// The channel of each byte, and its offset there.
class ChannelMap {
 public:
  struct Place {
    std::uint64_t channel, within;
  };

  explicit ChannelMap(const Params& params)
      : base_(params.base),
        channels_(params.channels),
        interleave_(params.interleave_bytes),
        slices_(params.slices),
        slices_of_channel_(slices_ == nullptr ? 1 : slices_->slices() / channels_) {}

  /// `offset`: from the base of the memory.
  Place place(std::uint64_t offset) const {
    if (slices_ != nullptr) return place_of_slice(offset);
    return {offset / interleave_ % channels_,
            offset / (interleave_ * channels_) * interleave_ + offset % interleave_};
  }

 private:
  /// The slices of a channel take turns.
  Place place_of_slice(std::uint64_t offset) const {
    const protocol::SliceMap::Home home = slices_->home(base_ + offset);
    const std::uint64_t turn = home.slice % slices_of_channel_;
    return {
        home.slice / slices_of_channel_,
        (home.offset / interleave_ * slices_of_channel_ + turn) * interleave_ + home.offset % interleave_};
  }

  const std::uint64_t base_, channels_;
  const std::uint64_t interleave_;  // with slices the unit in which they take turns
  const std::shared_ptr<const protocol::SliceMap> slices_;
  const std::uint64_t slices_of_channel_;
};

}  // namespace spica::main_memory
