// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/network/view.h"

#include <algorithm>

namespace spica::network {

std::int64_t extent_of(const Axis& axis) {
  std::int64_t extent = 1;
  for (const Part& part : axis) extent *= part.extent;
  return extent;
}

Axis merged(const Axis& axis) {
  Axis result;
  for (const Part& part : axis) {
    if (part.extent == 1) continue;
    if (!result.empty() && result.back().stride == part.extent * part.stride)
      result.back() = {result.back().extent * part.extent, part.stride};
    else result.push_back(part);
  }
  return result;
}

View View::contiguous(const Extents& extents) {
  View view;
  view.axes.resize(extents.size());
  std::int64_t stride = 1;
  for (std::size_t i = extents.size(); i-- > 0;) {
    if (extents[i] != 1) view.axes[i] = {{extents[i], stride}};
    stride *= std::max(extents[i], std::int64_t{1});
  }
  return view;
}

Extents View::extents() const {
  Extents extents;
  for (const Axis& axis : axes) extents.push_back(extent_of(axis));
  return extents;
}

bool View::is_contiguous() const {
  Axis all;
  for (const Axis& axis : axes) all.insert(all.end(), axis.begin(), axis.end());
  all = merged(all);
  return all.empty() || (all.size() == 1 && all[0].stride == 1);
}

View View::permuted(const std::vector<std::size_t>& axes_in_order) const {
  View result{offset, {}};
  for (const std::size_t axis : axes_in_order) result.axes.push_back(axes[axis]);
  return result;
}

View View::expanded(const Extents& extents) const {
  View result{offset, std::vector<Axis>(extents.size())};
  const std::size_t added = extents.size() - axes.size();
  for (std::size_t i = 0; i < extents.size(); ++i) {
    if (i >= added) result.axes[i] = axes[i - added];
    if (extents[i] != 1 && extent_of(result.axes[i]) == 1) result.axes[i] = {{extents[i], 0}};
  }
  return result;
}

std::optional<View> View::sliced(std::size_t axis, std::int64_t start, std::int64_t step,
                                 std::int64_t count) const {
  View result = *this;
  Axis parts = merged(axes[axis]);
  std::int64_t inner = extent_of(parts);
  if (start == 0 && step == 1 && count == inner) return result;
  if (count == 0) {
    result.axes[axis] = {{0, 1}};
    return result;
  }
  const std::int64_t last = start + (count - 1) * step;
  if (start < 0 || last < 0 || start >= inner || last >= inner) return std::nullopt;
  while (!parts.empty()) {
    const Part part = parts.front();
    parts.erase(parts.begin());
    inner /= part.extent;  // elements for an index of this part
    const std::int64_t first = start / inner;
    if (first == (start + (count - 1) * step) / inner) {  // one index: the slice is in the other parts
      result.offset += first * part.stride;
      start -= first * inner;
      if (count == 1 && start == 0) parts.clear();
      continue;
    }
    const bool whole = start % inner == 0 && step == 1 && count % inner == 0;
    if (!whole && inner != 1) return std::nullopt;
    result.offset += first * part.stride;
    parts.insert(parts.begin(), {count / inner, step * part.stride});
    break;
  }
  result.axes[axis] = merged(parts);
  return result;
}

std::optional<View> View::reshaped(const Extents& extents) const {
  View result{offset, std::vector<Axis>(extents.size())};
  if (std::count(extents.begin(), extents.end(), 0) > 0) {
    for (std::size_t i = 0; i < extents.size(); ++i)
      if (extents[i] != 1) result.axes[i] = {{extents[i], 1}};
    return result;
  }
  Axis rest;
  for (const Axis& axis : axes) rest.insert(rest.end(), axis.begin(), axis.end());
  rest = merged(rest);
  std::size_t next = 0;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    std::int64_t needed = extents[i];
    while (needed > 1) {
      if (next == rest.size()) return std::nullopt;
      Part& part = rest[next];
      if (needed % part.extent == 0) {
        result.axes[i].push_back(part);
        needed /= part.extent;
        ++next;
      } else if (part.extent % needed == 0) {
        part.extent /= needed;
        result.axes[i].push_back({needed, part.extent * part.stride});
        needed = 1;
      } else {
        return std::nullopt;
      }
    }
  }
  return result;
}

ViewIndex::ViewIndex(const View& view) : offset_(view.offset) {
  for (const Axis& axis : view.axes) parts_.insert(parts_.end(), axis.begin(), axis.end());
  parts_ = merged(parts_);
  at_.resize(parts_.size());
}

void ViewIndex::next() {
  for (std::size_t i = parts_.size(); i-- > 0;) {
    offset_ += parts_[i].stride;
    if (++at_[i] < parts_[i].extent) return;
    offset_ -= parts_[i].stride * at_[i];
    at_[i] = 0;
  }
}

}  // namespace spica::network
