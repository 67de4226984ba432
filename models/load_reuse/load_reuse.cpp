// SPDX-License-Identifier: Apache-2.0
#include "models/load_reuse/load_reuse.h"

#include <algorithm>
#include <ostream>

#include "models/base/checkpoint.h"

namespace spica::load_reuse {

LoadReuse::LoadReuse(const sc_core::sc_module_name& name, const LoadReuseParams& params,
                     const base::ClockDomain& clock)
    : Component(name, clock), params_(params), map_(params.warps) {
  in.bind(*this);
  hints.bind(*this);
  reset();
}

unsigned LoadReuse::find(const Load& load) {
  ++stats_.loads;
  stats_.compared_entries += entries_.size();
  const auto found = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    return entry.load.same_as(load) && entry.load.warp != load.warp && entry.serial > since_[load.warp];
  });
  if (found != entries_.end()) {
    const std::uint32_t place = found->place;
    ++stats_.reused;
    ++stats_.renames;
    forget(map_.share(place, load.warp, load.fragment));
    if (map_.free() > stats_.max_shared.value()) stats_.max_shared += map_.free() - stats_.max_shared.value();
    return map_.holder(place, load.fragment, load.warp);
  }
  overwrite(load.warp, load.fragment);
  if (entries_.size() == params_.entries) entries_.erase(entries_.begin());
  entries_.push_back({load, map_.place(load.warp, load.fragment), ++serial_});
  if (entries_.size() > stats_.max_fill.value()) stats_.max_fill += entries_.size() - stats_.max_fill.value();
  return kNone;
}

void LoadReuse::overwrite(unsigned warp, unsigned fragment) {
  const std::uint32_t lost = map_.write(warp, fragment);
  if (lost == FragmentMap::kNone) ++stats_.renames;
  forget(lost);
}

/// What was loaded into these registers is no longer there.
void LoadReuse::forget(std::uint32_t place) {
  if (place == FragmentMap::kNone) return;
  entries_.erase(std::remove_if(entries_.begin(), entries_.end(),
                                [&](const Entry& entry) { return entry.place == place; }),
                 entries_.end());
}

void LoadReuse::order(unsigned, std::uint32_t warps) {
  ++serial_;
  for (std::uint32_t rest = warps; rest != 0; rest &= rest - 1)
    since_[static_cast<unsigned>(__builtin_ctz(rest))] = serial_;
  entries_.erase(std::remove_if(entries_.begin(), entries_.end(),
                                [&](const Entry& entry) { return (warps >> entry.load.warp & 1) != 0; }),
                 entries_.end());
}

void LoadReuse::reset() {
  map_.reset();
  entries_.clear();
  serial_ = 0;
  since_.assign(params_.warps, 0);
}

void LoadReuse::dump_state(std::ostream& out) const {
  out << name() << ": " << entries_.size() << " loads known, " << map_.free()
      << " fragments in registers of others\n";
}

bool LoadReuse::timing(base::Checkpoint& checkpoint) {
  checkpoint(map_, entries_, serial_, since_, stats_);
  return true;
}

}  // namespace spica::load_reuse
