// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <utility>
#include <vector>

#include "models/protocol/host_queues/kernel_queue.h"
#include "models/protocol/ports/group_sequence_if.h"

namespace spica::sample {

/// Work groups that are dispatched one after the other: begin <= number < end.
struct Segment {
  std::uint64_t begin = 0, end = 0;
};

/// Dispatches the work groups of segments, one segment after the other.
///
/// The time of a segment is that from the dispatch of its first work group to that of the next segment. Segments are
/// therefore numbered like launches of a queue, which soc::LaunchSeries accounts for.
class SegmentQueue final : public protocol::GroupSequenceIf {
 public:
  /// `begun`: a segment has begun in this cycle.
  explicit SegmentQueue(std::function<void()> begun) : begun_(std::move(begun)) {}

  void add(Segment segment) { waiting_.push_back(segment); }
  /// Called when the last segment has been dispatched and a cluster has room for another work group; adds segments.
  /// Until close() there must be some.
  void on_empty(std::function<void()> refill) { refill_ = std::move(refill); }
  /// No segment will be added.
  void close() { closed_ = true; }

  /// The segments that have begun, as launches.
  const std::vector<protocol::KernelRun>& launches() const { return launches_; }
  /// Work groups that were dispatched.
  std::uint64_t taken() const { return taken_; }

  // protocol::GroupSequenceIf
  bool any() const override { return !waiting_.empty() || !closed_; }
  std::uint64_t take() override;

 private:
  const std::function<void()> begun_;
  std::function<void()> refill_;
  std::deque<Segment> waiting_;
  bool inside_ = false;  // of the first waiting segment, some work groups were dispatched
  bool closed_ = false;
  std::uint64_t taken_ = 0;
  std::vector<protocol::KernelRun> launches_;
};

}  // namespace spica::sample
