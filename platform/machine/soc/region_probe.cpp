// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/soc/region_probe.h"

#include <algorithm>
#include <utility>

namespace spica::soc {

void RegionProbe::watch(base::Component& block) {
  blocks_.push_back(&block);
  layout_.add(block.stats());
}

void RegionProbe::begin_here() {
  block_begins_.clear();
  start_ = now();
  for (base::Component* block : blocks_) {
    block->stats().reset(block->now());
    block_begins_.push_back(block->now());
  }
}

void RegionProbe::settle() const {
  for (base::Component* block : blocks_) {
    block->domain()->catch_up();
    block->settle_stats();
  }
}

std::vector<std::uint64_t> RegionProbe::values() const {
  settle();
  std::vector<std::uint64_t> values = layout_.values();
  for (const base::Component* block : blocks_) values.push_back(block->now());
  return values;
}

base::Cycle RegionProbe::cycles(const base::Component& block) const {
  const auto at = std::find(blocks_.begin(), blocks_.end(), &block);
  if (!complete())
    return block.now() -
           (block_begins_.empty() ? 0 : block_begins_[static_cast<std::size_t>(at - blocks_.begin())]);
  const auto behind = blocks_.end() - at;
  return *(region_.last_end().values.end() - behind) - *(region_.first_begin().values.end() - behind);
}

base::StatWindow RegionProbe::window() const {
  return complete() ? base::StatWindow(layout_, region_.first_begin().values, region_.last_end().values)
                    : base::StatWindow(layout_, {}, values());
}

bool RegionProbe::loaded() {
  if (load_of_run_ == base::kNever) load_of_run_ = now();
  if (first_ != base::kNever && load_of_region_ == base::kNever) load_of_region_ = now();
  return load_of_region_ == base::kNever;
}

std::optional<base::Cycle> RegionProbe::lead() const {
  const base::Cycle load = complete() ? load_of_region_ : load_of_run_;
  if (load == base::kNever || (complete() && load > last_)) return std::nullopt;
  return load - (complete() ? first_ : start_);
}

void RegionProbe::marked(protocol::Marker marker) {
  if (!observers_.empty()) {
    ++(marker == protocol::Marker::kBegin ? begins_ : ends_);
    wake_next();
  }
  if (marker == protocol::Marker::kEnd) {
    if (first_ == base::kNever) return;  // closes nothing
    last_ = now();
    take_end_ = true;
  } else {
    if (first_ != base::kNever) return;
    first_ = now();
    take_begin_ = true;
  }
  wake_next();
}

void RegionProbe::launches_changed() {
  const auto follows = [](const RunObserver* observer) { return observer->follows_launches(); };
  if (std::none_of(observers_.begin(), observers_.end(), follows)) return;
  take_launches_ = true;
  wake_next();
}

void RegionProbe::tick() {
  if (std::exchange(take_launches_, false))
    for (RunObserver* observer : observers_)
      if (observer->follows_launches()) observer->at_launches(now());
  if (take_begin_ || take_end_) region_.at_markers(now(), take_begin_ ? 1 : 0, take_end_ ? 1 : 0);
  take_begin_ = take_end_ = false;
  const unsigned begins = std::exchange(begins_, 0), ends = std::exchange(ends_, 0);
  if (begins + ends == 0) return;
  for (RunObserver* observer : observers_) observer->at_markers(now(), begins, ends);
}

void RegionProbe::reset() {
  region_.reset();
  first_ = last_ = base::kNever;
  load_of_run_ = load_of_region_ = base::kNever;
  take_begin_ = take_end_ = false;
  begins_ = ends_ = 0;
  take_launches_ = false;
}

}  // namespace spica::soc
