// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "models/base/bounded_queue.h"
#include "models/base/types.h"
#include "models/cache/cache_params.h"
#include "models/cache/mshr_file.h"
#include "models/cache/tag_array.h"

namespace spica::cache {

/// What one cycle of a bank did; counted by the cache.
enum class Outcome : std::uint8_t {
  kNothing,
  kReadHit,
  kReadMiss,
  kReadMerged,
  kWriteHit,
  kWriteMiss,
  kWriteMerged,
  kReplay,
  kFill,
  kBlockedMshr,    // no MSHR or no place for one more waiting request
  kBlockedMemory,  // no place in the queue to memory
  kBlockedResponse,
  kHazard,  // read directly after a write to its line
};
inline constexpr std::size_t kOutcomes = static_cast<std::size_t>(Outcome::kHazard) + 1;

/// What a bank sends towards memory.
struct MemoryRequest {
  base::Address address = 0;
  std::uint16_t bytes = 0;
  bool write = false;
  unsigned mshr = MshrFile::kNone;  // the entry that waits for it; none for writes
  protocol::Origin origin;
  base::Cycle due = 0;
};

/// Responses in order, with the time of the first at hand.
class ResponseQueue {
 public:
  struct Response {
    protocol::Payload* payload;
    base::Cycle due;
    std::uint32_t port;
  };

  explicit ResponseQueue(std::size_t capacity) : queue_(capacity) {}

  bool empty() const { return queue_.empty(); }
  bool full() const { return queue_.full(); }
  std::size_t size() const { return queue_.size(); }
  /// The cycle in which the first is due; kNever when there is none.
  base::Cycle due() const { return due_; }
  const Response& front() const { return queue_.front(); }
  void push(const Response& response) {
    if (queue_.empty()) due_ = response.due;
    queue_.push(response);
  }
  Response pop() {
    const Response response = queue_.pop();
    due_ = queue_.empty() ? base::kNever : queue_.front().due;
    return response;
  }
  void clear() {
    queue_.clear();
    due_ = base::kNever;
  }

 private:
  base::Cycle due_ = base::kNever;
  base::BoundedQueue<Response> queue_;
};

/// One bank: decides what its pipeline does in a cycle. Knows no sockets; the cache moves what it
/// says.
///
/// Per cycle one of, by priority: a replay of a request whose line has come, a fill, the request at
/// the head of the queue. No replay enters directly after a fill, and a read directly after a
/// write hit to the same line waits a cycle. A blocked request blocks those after it. (vortex
/// cache/VX_cache_bank.sv) With sub-banks, a fill goes to other sub-banks beside the request or
/// replay of the cycle; its replays follow from the next cycle on.
class alignas(64) Bank {
 public:
  explicit Bank(const Params& params);

  bool full() const { return queue_.full(); }
  void accept(const Request& request) {
    if (queue_.empty()) blocked_ = false;
    queue_.push(request);
  }
  /// True when the last step() could do nothing and nothing has changed since.
  bool blocked() const { return blocked_; }
  /// One cycle. Returns the request that takes effect in it (first looked at), or nullptr; valid
  /// until the next accept(). The cache moves its data. `outcome()` says what happened.
  const Request* step(base::Cycle now);
  Outcome outcome() const { return outcome_; }
  /// A read hit that nothing can delay: takes the bank's next cycle, now + 1. False: it must queue.
  /// Only of a read-only cache: looks at no write before it.
  bool take_early(base::Address line, base::Cycle now) {
    if (!queue_.empty() || !replays_.empty() || !fills_.empty() || busy_until_ > now + 1) return false;
    if (tags_.lookup(line) == TagArray::kMiss) return false;
    busy_until_ = now + 2;
    return true;
  }
  /// With sub-banks: a fill can be tried in this cycle, in addition to step().
  bool fill_due(base::Cycle now) const {
    return fills_beside_ && !fills_.empty() && !fill_blocked_ && now >= fill_busy_until_;
  }
  /// The fill of one line; false when it has no place for the dirty line it pushes out.
  bool step_fill(base::Cycle now);
  /// True when the last fill pushed out a dirty line.
  bool wrote_back() const { return wrote_back_; }
  /// The line of an MSHR has come.
  void fill(unsigned mshr) {
    fills_.push(mshr);
    if (!fills_beside_) blocked_ = false;
  }

  /// Read data and write acknowledgements, each in order.
  ResponseQueue& responses() { return responses_; }
  ResponseQueue& acks() { return acks_; }
  base::BoundedQueue<MemoryRequest>& memory() { return memory_; }
  const base::BoundedQueue<MemoryRequest>& memory() const { return memory_; }
  /// Something left one of the queues above: a blocked request may go on.
  void retry() {
    blocked_ = false;
    fill_blocked_ = false;
  }

  /// The cycle from which step() may do something without outside help; kNever when none.
  base::Cycle step_due() const {
    const bool work = !queue_.empty() || !replays_.empty() || (!fills_beside_ && !fills_.empty());
    return work && !blocked_ ? busy_until_ : base::kNever;
  }
  /// The next cycle in which step() or step_fill() may do something, or a response is due.
  base::Cycle next_due(base::Cycle now) const {
    base::Cycle next = std::min(step_due(), std::min(responses_.due(), acks_.due()));
    if (fills_beside_ && !fills_.empty() && !fill_blocked_) next = std::min(next, fill_busy_until_);
    return std::max(next, now + 1);
  }
  bool idle() const {
    return queue_.empty() && replays_.empty() && fills_.empty() && responses_.empty() && acks_.empty() &&
           memory_.empty() && mshrs_.lines() == 0;
  }
  void clear();

  std::size_t queued() const { return queue_.size(); }
  std::size_t replaying() const { return replays_.size(); }
  const MshrFile& mshrs() const { return mshrs_; }

 private:
  const Request* block(Outcome outcome) {
    outcome_ = outcome;
    return nullptr;
  }
  /// Plans the response; false when there is no place for it.
  bool respond(const Request& request, base::Cycle now) {
    ResponseQueue& queue = request.write ? acks_ : responses_;
    if (queue.full()) return false;
    queue.push({request.payload, now + hit_latency_, request.port});
    busy_until_ = now + occupancy(request.bytes);
    return true;
  }
  /// The place of the request in the queue stays as it is until the next one takes it.
  const Request* done(Outcome outcome) {
    const Request* served = &queue_.front();
    queue_.drop();
    outcome_ = outcome;
    return served;
  }
  /// Cycles in which `bytes` pass the bank.
  base::Cycle occupancy(std::uint32_t bytes) const {
    const std::uint32_t width = std::uint32_t{1} << width_shift_;
    return bytes <= width ? 1 : (bytes + width - 1) >> width_shift_;
  }
  base::Cycle line_passes() const { return occupancy(std::uint32_t{1} << line_shift_); }
  void ask_memory(base::Address address, std::uint32_t bytes, bool write, unsigned mshr, const Request& cause,
                  base::Cycle now) {
    memory_.push(
        {address, static_cast<std::uint16_t>(bytes), write, mshr, cause.info->origin, now + miss_latency_});
  }
  bool try_replay(base::Cycle now);
  bool try_fill(base::Cycle now);
  const Request* try_request(base::Cycle now);
  const Request* miss(const Request& request, base::Cycle now);
  const Request* write_through(const Request& request, base::Cycle now);
  const Request* write_whole_line(const Request& request, base::Cycle now);
  void write_back(const TagArray::Evicted& evicted, const Request& cause, base::Cycle now);

  // What every step touches, side by side: first that of early hits, in two cache lines of the host.
  base::Cycle busy_until_ = 0;
  base::BoundedQueue<Request> queue_;
  base::BoundedQueue<Request> replays_;
  base::BoundedQueue<unsigned> fills_;  // MSHR entries
  TagArray tags_;
  ResponseQueue responses_, acks_;
  Outcome outcome_ = Outcome::kNothing;
  bool wrote_back_ = false;
  bool blocked_ = false;
  bool fill_blocked_ = false;
  const bool fills_beside_;  // with sub-banks
  const WritePolicy write_policy_;
  const std::uint8_t line_shift_, width_shift_;  // of the bytes of a line and of a pass
  const std::uint16_t hit_latency_, miss_latency_;
  const std::uint32_t mshr_requests_;
  base::BoundedQueue<MemoryRequest> memory_;
  base::Cycle after_write_ = base::kNever;  // the cycle directly after the last write hit
  base::Address written_line_ = 0;
  base::Cycle fill_busy_until_ = 0;        // with sub-banks
  base::Cycle after_fill_ = base::kNever;  // the cycle directly after the last fill
  MshrFile mshrs_;
};

}  // namespace spica::cache
