// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

#include "models/base/invariant.h"
#include "models/isa/mma_form.h"

namespace spica::load_reuse {

/// The registers that hold the fragments of a core's warps: initially one place per fragment. Several fragments may
/// share a place, which is free again when the last of them has been overwritten. There are as many places as
/// fragments, so a fragment that leaves a shared place always finds a free one.
///
/// Source   lee section 5.2.2 (the register of the later warp is renamed to that of the earlier one)
class FragmentMap {
 public:
  static constexpr std::uint32_t kNone = ~0u;

  explicit FragmentMap(std::size_t warps) : warps_(warps) { reset(); }

  std::uint32_t place(unsigned warp, unsigned fragment) const { return places_[at(warp, fragment)]; }
  /// A warp with its fragment `fragment` at that place; `warp` itself only if there is no other. kNone: there is none.
  std::uint32_t holder(std::uint32_t place, unsigned fragment, unsigned warp) const {
    for (unsigned other = 0; other < warps_; ++other)
      if (other != warp && this->place(other, fragment) == place) return other;
    return this->place(warp, fragment) == place ? warp : kNone;
  }
  /// The fragment moves to that place. Returns the place that is no longer used, or kNone.
  std::uint32_t share(std::uint32_t place, unsigned warp, unsigned fragment) {
    std::uint32_t& own = places_[at(warp, fragment)];
    if (own == place) return kNone;
    const std::uint32_t left = leave(own);
    own = place;
    ++users_[place];
    return left;
  }
  /// The fragment gets a value of its own. Returns the place whose value is lost, or kNone.
  std::uint32_t write(unsigned warp, unsigned fragment) {
    std::uint32_t& own = places_[at(warp, fragment)];
    if (users_[own] == 1) return own;
    --users_[own];
    SPICA_INVARIANT(!free_.empty());
    own = free_.back();
    free_.pop_back();
    users_[own] = 1;
    return kNone;
  }
  /// Places that are free because others are shared.
  std::size_t free() const { return free_.size(); }
  void reset() {
    places_.resize(warps_ * isa::kFragmentSlots);
    std::iota(places_.begin(), places_.end(), 0u);
    users_.assign(places_.size(), 1);
    free_.clear();
  }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(places_, users_, free_);  // Not saved: warps_
  }

 private:
  static std::size_t at(unsigned warp, unsigned fragment) {
    return std::size_t{warp} * isa::kFragmentSlots + fragment;
  }
  std::uint32_t leave(std::uint32_t place) {
    if (--users_[place] != 0) return kNone;
    free_.push_back(place);
    return place;
  }

  const std::size_t warps_;
  std::vector<std::uint32_t> places_;  // by warp and fragment
  std::vector<std::uint32_t> users_;  // by place
  std::vector<std::uint32_t> free_;
};

}  // namespace spica::load_reuse
