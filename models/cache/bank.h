// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>

#include "models/base/bounded_queue.h"
#include "models/base/types.h"
#include "models/cache/bank_memory.h"
#include "models/cache/bank_rules.h"
#include "models/cache/cache_params.h"
#include "models/cache/mshr_file.h"
#include "models/cache/outcome.h"
#include "models/cache/parts.h"
#include "models/cache/prefetches.h"
#include "models/cache/response_path.h"
#include "models/cache/tag_array.h"

namespace spica::cache {

/// One bank: decides what its pipeline does in a cycle. Independent of sockets; the cache moves the data of served
/// requests.
///
/// Performs one of these per cycle, by priority: a replay of a request whose line has arrived, a fill, the request at
/// the head of the queue. Nothing enters in the cycle after a fill, and a read directly after a write hit to the same
/// line waits a cycle. A blocked request blocks those after it. No request enters while `memory_queue_limit` requests
/// wait for memory or, with `mshr_for_hits`, all `mshr_requests` are in use. (vortex cache/VX_cache_bank.sv) With
/// sectored lines, a request hits if all its sectors are present. Otherwise it fetches the missing sectors that are not
/// being fetched already, and is replayed when all have arrived. With sub-banks, a fill uses other sub-banks in the
/// same cycle as the request or replay; its replays follow from the next cycle on. A line to prefetch is looked up in a
/// cycle in which none of these happens and nothing waits for memory. It leaves the last MSHR to requests.
class alignas(64) Bank {
 public:
  /// Bank `number`; it answers through `responses`.
  Bank(const Params& params, unsigned number, ResponsePath& responses);

  bool full() const { return queue_.full(); }
  /// Adds a request, which the caller fills in. Requires !full().
  Request& append() {
    if (queue_.empty()) blocked_ = false;
    return queue_.append();
  }
  /// True if the last step() could do nothing and nothing has changed since. A waiting prefetch does not count.
  bool blocked() const { return blocked_ && (queue_.size() | replays_.size() | fills_.size()) != 0; }
  /// One cycle. Returns the request that takes effect in it (its first look-up), or nullptr; valid until the next
  /// append(). The cache moves its data. `outcome()` returns the result.
  const Request* step(base::Cycle now);
  /// A fast version of step() for the simple case: the request at the head is a read that hits a whole line, with
  /// nothing else pending. nullptr: nothing has happened, call step().
  const Request* take_hit(base::Cycle now) {
    if (queue_.empty() || busy_until_ > now || written_.is_after(now) || blocked_ || may_stop_ ||
        (replays_.size() | fills_.size()) != 0 || outcome_ == Outcome::kBlockedMemory)
      return nullptr;
    const Request& request = queue_.front();
    if (!request.plain_read || responses_.full(number_, ResponsePath::kData) || !rules_.simple_hits ||
        tags_.lookup(request.line) == TagArray::kMiss)
      return nullptr;
    responses_.plan(number_, ResponsePath::kData, *request.payload, request.port, now);
    busy_until_ = now + rules_.occupancy(request.bytes);
    return done(Outcome::kReadHit);
  }
  Outcome outcome() const { return outcome_; }
  /// Takes a read hit at once, in the bank's next cycle, now + 1. False: it must queue. Only for a read-only cache with
  /// whole lines: earlier writes and sectors are not checked.
  bool take_early(base::Address line, base::Cycle now) {
    if ((queue_.size() | replays_.size() | fills_.size()) != 0 || busy_until_ > now + 1) return false;
    if (may_stop_ && stops(now + 1) != Outcome::kNothing) return false;
    if (tags_.lookup(line) == TagArray::kMiss) return false;
    busy_until_ = now + 2;
    return true;
  }
  /// With sub-banks: true if a fill can be tried in this cycle, in addition to step().
  bool fill_due(base::Cycle now) const {
    return rules_.fills_concurrently && !fills_.empty() && !fill_blocked_ && now >= fill_busy_until_;
  }
  /// Fills the sectors of one answer; false if there is no place for the dirty line that it evicts.
  bool step_fill(base::Cycle now);
  /// The dirty sectors of one line that the last step() or step_fill() evicted.
  Sectors wrote_back() const { return wrote_back_; }
  /// The sectors that it read, wrote or filled.
  Sectors moved() const { return moved_; }
  /// A newly placed line: its part of the ways, and whether it evicted another line.
  struct Placed {
    bool line = false, other = false;
    std::uint8_t part = 0;
    template <class Archive>
    void serialize(Archive& archive) {
      archive(line, other, part);
    }
  };
  Placed placed() const { return placed_; }
  /// Sectors of the line of an MSHR have arrived.
  void fill(unsigned mshr, Sectors sectors) {
    fills_.push({mshr, sectors});
    if (!rules_.fills_concurrently) blocked_ = false;
  }

  /// Requires a prefetcher: the cache wants this line. False: there is no place for it.
  bool want(const Cause& wish) {
    if (queue_.empty()) blocked_ = false;
    return prefetches_->want(wish);
  }
  /// Requires a prefetcher: the lines that the bank prefetches.
  const Prefetches& prefetches() const { return *prefetches_; }
  /// The reason to fetch the line of the request.
  Cause cause_of(const Request& request) const {
    return {request.line, request.info->origin, parts_.of(*request.payload)};
  }

  MemoryQueue& memory() { return memory_.queue(); }
  /// True if a request or a fill found no place.
  bool stuck() const { return blocked_ || fill_blocked_; }
  /// A place became free in the memory queue or the response path: blocked work may continue.
  void retry() {
    blocked_ = false;
    fill_blocked_ = false;
  }

  /// The earliest cycle in which step() can act without outside events; kNever if none.
  base::Cycle step_due() const {
    if (blocked_) return base::kNever;
    const bool fills = !rules_.fills_concurrently && !fills_.empty();
    const bool prefetches = prefetches_ != nullptr && !prefetches_->empty();
    return queue_.empty() && replays_.empty() && !fills && !prefetches ? base::kNever : busy_until_;
  }
  /// The next cycle in which step() or step_fill() can act without outside events; kNever if none.
  base::Cycle next_due(base::Cycle now) const {
    base::Cycle next = step_due();
    if (rules_.fills_concurrently && !fills_.empty() && !fill_blocked_)
      next = std::min(next, fill_busy_until_);
    return std::max(next, now + 1);
  }
  /// True if it is empty; responses may still be on their way.
  bool idle() const {
    return queue_.empty() && replays_.empty() && fills_.empty() && memory_.queue().empty() &&
           mshrs_.lines() == 0;
  }
  void clear();
  TagArray& tags() { return tags_; }  // for accesses outside of simulated time
  std::size_t queued() const { return queue_.size(); }
  std::size_t replaying() const { return replays_.size(); }
  const MshrFile& mshrs() const { return mshrs_; }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(busy_until_, queue_, replays_, fills_, tags_, outcome_, wrote_back_, moved_, blocked_,
            fill_blocked_, may_stop_, memory_, written_, fill_busy_until_, turn_, mshrs_, placed_);
    if (prefetches_ != nullptr) archive(*prefetches_);
  }

 private:
  /// An answer of memory that is not filled yet: sectors of the line of an MSHR.
  struct Fill {
    unsigned mshr = 0;
    Sectors sectors = 0;
  };

  const Request* block(Outcome outcome) {
    outcome_ = outcome;
    return nullptr;
  }
  /// Plans the response; false if there is no place for it.
  bool respond(const Request& request, base::Cycle now) {
    const ResponsePath::Kind kind = request.write ? ResponsePath::kAck : ResponsePath::kData;
    if (responses_.full(number_, kind)) {
      turn_.stand_still(now);
      return false;
    }
    responses_.plan(number_, kind, *request.payload, request.port, now);
    busy_until_ = now + rules_.occupancy(request.bytes);
    return true;
  }
  /// The slot of the request stays valid until the next request uses it.
  const Request* done(Outcome outcome) {
    const Request* served = &queue_.front();
    queue_.drop();
    outcome_ = outcome;
    return served;
  }
  void record_memory() { may_stop_ |= memory_.queue().size() >= rules_.memory_queue_limit; }
  /// True if all mshr_requests are in use; requests waiting for their replay still count.
  bool all_places_taken() const { return mshrs_.waiting() + replays_.size() >= rules_.mshr_requests; }
  /// The reason why no request may enter in cycle `now`; kNothing: none.
  Outcome stops(base::Cycle now) {
    const MemoryQueue& queue = memory_.queue();
    const bool at_limit = queue.size() >= rules_.memory_queue_limit;
    if (at_limit && queue[rules_.memory_queue_limit - 1].due <= now) return Outcome::kBlockedMemory;
    if (rules_.mshr_for_hits && all_places_taken()) return Outcome::kBlockedMshr;
    may_stop_ = at_limit;
    return Outcome::kNothing;
  }
  bool try_replay(base::Cycle now);
  bool try_fill(base::Cycle now);
  const Request* try_request(base::Cycle now);
  const Request* miss(const Request& request, unsigned slot, base::Cycle now);
  const Request* write_through(const Request& request, base::Cycle now);
  const Request* write_whole(const Request& request, unsigned slot, base::Cycle now);
  void prefetch(base::Cycle now);
  unsigned choose(const Cause& cause, base::Cycle now) const {
    return tags_.choose(cause.line, turn_.at(now), cause.part);
  }
  void place(unsigned slot, base::Address line, Sectors there, Sectors dirty, bool instead);
  void write_back(const TagArray::Evicted& evicted, const protocol::Origin& origin, base::Cycle now);

  // Members used by every step, adjacent: those of early hits first, in two cache lines of the host.
  base::Cycle busy_until_ = 0;
  base::BoundedQueue<Request> queue_;
  base::BoundedQueue<Request> replays_;
  base::BoundedQueue<Fill> fills_;
  TagArray tags_;
  ResponsePath& responses_;
  const unsigned number_;
  Outcome outcome_ = Outcome::kNothing;
  Sectors wrote_back_ = 0;
  Sectors moved_ = 0;
  bool blocked_ = false;
  bool fill_blocked_ = false;
  bool may_stop_ = false;  // stops() must be called
  const BankRules rules_;
  BankMemory memory_;
  WrittenLine written_;
  base::Cycle fill_busy_until_ = 0;  // with sub-banks
  ReplacementTurn turn_;
  MshrFile mshrs_;
  const Parts parts_;
  Placed placed_;
  std::unique_ptr<Prefetches> prefetches_;  // nullptr: no prefetcher
};

}  // namespace spica::cache
