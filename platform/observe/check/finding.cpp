// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/check/finding.h"

#include <utility>

namespace spica::check {

/// Whichever of the two comes first, it is the same pair of places.
Findings::Key Findings::key(const Finding& f) {
  const bool order =
      f.kind == Kind::kEarlyRead || f.kind == Kind::kOverwrittenInUse || f.kind == Kind::kUnitOrder;
  const auto place = [](const Accessor& accessor) {
    return Place{accessor.what, accessor.pc, accessor.called_from, accessor.unit};
  };
  Place first = place(f.first), second = place(f.second);
  if (second < first) std::swap(first, second);
  return {order ? Kind::kRace : f.kind, first, second};
}

bool Findings::known(const Finding& finding, std::uint64_t event) {
  const auto found = found_.find(key(finding));
  if (found == found_.end()) return false;
  Entry& entry = found->second;
  Finding& kept = all_[entry.index];
  if (entry.event == event) {
    const bool same = kept.first.core == finding.first.core && kept.first.warp == finding.first.warp &&
                      kept.first.pc == finding.first.pc;
    if (entry.first_event && same) kept.first.lanes |= finding.first.lanes;
    if (entry.first_event && same) kept.second.lanes |= finding.second.lanes;
    return true;
  }
  entry.event = event;
  entry.first_event = false;
  ++kept.times;
  return true;
}

bool Findings::add(Finding finding, std::uint64_t event) {
  if (known(finding, event)) return false;
  found_.emplace(key(finding), Entry{all_.size(), event, true});
  all_.push_back(std::move(finding));
  return true;
}

}  // namespace spica::check
