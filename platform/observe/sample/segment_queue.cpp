// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/sample/segment_queue.h"

#include "models/base/invariant.h"

namespace spica::sample {

std::uint64_t SegmentQueue::take() {
  if (waiting_.empty()) refill_();
  SPICA_INVARIANT(!waiting_.empty());
  if (!inside_) {
    if (!launches_.empty()) launches_.back().ended = 0;
    launches_.emplace_back();
    begun_();
  }
  Segment& segment = waiting_.front();
  const std::uint64_t number = segment.begin++;
  ++taken_;
  inside_ = segment.begin != segment.end;
  if (!inside_) waiting_.pop_front();
  return number;
}

}  // namespace spica::sample
