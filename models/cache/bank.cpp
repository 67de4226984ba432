// SPDX-License-Identifier: Apache-2.0
#include "models/cache/bank.h"

namespace spica::cache {

using base::Cycle;

Bank::Bank(const Params& params, unsigned number, ResponsePath& responses)
    : queue_(params.request_queue),
      replays_(params.mshr_requests),
      fills_(params.mshrs * params.sectors),
      tags_(params.size_bytes / (params.line_bytes * params.ways * params.banks), params.ways, params.banks,
            params.replacement, params.partitions, params.slice_map, params.line_bytes),
      responses_(responses),
      number_(number),
      rules_(params),
      memory_(params),
      mshrs_(params.mshrs, params.mshr_requests),
      parts_(params) {
  if (params.prefetcher != Prefetch::kOff)
    prefetches_ = std::make_unique<Prefetches>(params.request_queue,
                                               params.size_bytes / (params.line_bytes * params.banks));
}

const Request* Bank::step(Cycle now) {
  turn_.resume(now);
  wrote_back_ = moved_ = 0;
  placed_ = {};
  if (prefetches_ != nullptr) prefetches_->begin();
  // A place for a response does not help a request that waits for memory.
  if (outcome_ == Outcome::kBlockedMemory &&
      (memory_.queue().full() || stops(now) == Outcome::kBlockedMemory) && replays_.empty() &&
      (fills_.empty() || rules_.fills_concurrently)) {
    blocked_ = true;
    return nullptr;
  }
  outcome_ = Outcome::kNothing;
  if (step_due() > now) return nullptr;
  if (!replays_.empty() && try_replay(now)) return nullptr;
  if (!fills_.empty() && !rules_.fills_concurrently && try_fill(now)) {
    // The replay that waits keeps its distance, and requests out.
    busy_until_ = now + rules_.occupancy(memory_.map().bytes(moved_)) + 1;
    return nullptr;
  }
  if (prefetches_ != nullptr && !prefetches_->empty() && queue_.empty() && replays_.empty()) {
    blocked_ = !memory_.queue().empty();  // until something leaves that
    if (!blocked_) prefetch(now);
    return nullptr;
  }
  const Request* served = queue_.empty() ? nullptr : try_request(now);
  // Whoever is left waits for one of the queues or for memory, unless it only keeps a distance.
  blocked_ = served == nullptr && outcome_ != Outcome::kHazard;
  return served;
}

bool Bank::step_fill(Cycle now) {
  wrote_back_ = moved_ = 0;
  placed_ = {};
  fill_blocked_ = !try_fill(now);
  if (fill_blocked_) return false;
  fill_busy_until_ = now + rules_.occupancy(memory_.map().bytes(moved_));
  blocked_ = false;
  return true;
}

bool Bank::try_replay(Cycle now) {
  if (!respond(replays_.front(), now)) return false;
  moved_ = replays_.front().sectors;
  replays_.drop();
  outcome_ = Outcome::kReplay;
  return true;
}

bool Bank::try_fill(Cycle now) {
  const Fill fill = fills_.front();
  const bool awaited = mshrs_.awaited(fill.mshr);
  const Cause cause = awaited ? cause_of(mshrs_.oldest(fill.mshr)) : mshrs_.cause(fill.mshr);
  const unsigned present = tags_.find(cause.line);  // with other sectors
  const unsigned slot = present != TagArray::kMiss ? present : choose(cause, now);
  const TagArray::Evicted victim = present != TagArray::kMiss ? TagArray::Evicted{} : tags_.content(slot);
  if (!memory_.has_room(victim.dirty)) return false;
  fills_.drop();
  Sectors dirty = 0;
  mshrs_.arrive(fill.mshr, fill.sectors, [&](const Request& request) {
    if (request.write) dirty |= request.sectors;
    replays_.push(request);
  });
  const auto there = static_cast<Sectors>(fill.sectors | dirty);
  if (present != TagArray::kMiss) tags_.add(slot, there, dirty);
  else place(slot, cause.line, there, dirty, victim.valid);
  if (prefetches_ != nullptr) prefetches_->fill(slot, !awaited && present == TagArray::kMiss);
  write_back(victim, cause.origin, now);
  moved_ = fill.sectors;
  outcome_ = Outcome::kFill;
  return true;
}

void Bank::place(unsigned slot, base::Address line, Sectors there, Sectors dirty, bool instead) {
  tags_.replace(slot, line, there, dirty);
  placed_ = {true, instead, static_cast<std::uint8_t>(tags_.part(slot))};
}

void Bank::write_back(const TagArray::Evicted& evicted, const protocol::Origin& origin, Cycle now) {
  wrote_back_ = evicted.dirty;
  memory_.write(evicted.line, evicted.dirty, origin, now);
  record_memory();
}

/// A line that is looked for when the bank has nothing else to do; what finds no room is not fetched.
void Bank::prefetch(Cycle now) {
  const Cause cause = prefetches_->take();
  busy_until_ = now + 1;
  if (tags_.find(cause.line) != TagArray::kMiss || mshrs_.find(cause.line) != MshrFile::kNone)
    return prefetches_->found(Prefetches::kPresent);
  if (mshrs_.free() < 2 || !memory_.has_room(memory_.all())) return prefetches_->found(Prefetches::kDropped);
  memory_.fetch(cause, memory_.all(), mshrs_.prefetch(cause, memory_.all()), now);
  record_memory();
  prefetches_->found(Prefetches::kFetched);
}

const Request* Bank::try_request(Cycle now) {
  const Request& request = queue_.front();
  if (may_stop_)
    if (const Outcome why = stops(now); why != Outcome::kNothing) return block(why);
  if (request.write) {
    if (rules_.write_policy == WritePolicy::kWriteThrough) return write_through(request, now);
    if (rules_.write_policy == WritePolicy::kReadOnly) {
      if (!respond(request, now)) return block(Outcome::kBlockedResponse);
      return done(Outcome::kWriteMiss);
    }
  } else if (written_.collides(request.line, now)) {
    outcome_ = Outcome::kHazard;
    return nullptr;
  }

  const unsigned slot = tags_.lookup(request.line);
  if (slot == TagArray::kMiss || tags_.missing(slot, request.sectors) != 0) return miss(request, slot, now);
  if (!respond(request, now)) return block(Outcome::kBlockedResponse);
  moved_ = request.sectors;
  if (prefetches_ != nullptr) prefetches_->use(slot);
  if (!request.write) return done(Outcome::kReadHit);
  tags_.add(slot, 0, request.sectors);
  written_.write(request.line, busy_until_);
  return done(Outcome::kWriteHit);
}

/// `slot`: where the line is without some of the sectors, or kMiss.
const Request* Bank::miss(const Request& request, unsigned slot, Cycle now) {
  const Sectors missing = slot == TagArray::kMiss ? request.sectors : tags_.missing(slot, request.sectors);
  const unsigned pending = mshrs_.find(request.line);
  const auto coming = static_cast<Sectors>(pending == MshrFile::kNone ? 0 : mshrs_.coming(pending) & missing);
  if (coming == 0 && request.whole) return write_whole(request, slot, now);
  if (all_places_taken()) return block(Outcome::kBlockedMshr);
  // A write of whole sectors needs nothing from memory, but comes behind what is on its way.
  const auto asked = static_cast<Sectors>(request.whole ? 0 : missing & ~coming);
  if (prefetches_ != nullptr && pending != MshrFile::kNone) prefetches_->join(!mshrs_.awaited(pending));
  if (asked == 0) {
    request.record_fetched(memory_.map().bytes(missing));
    mshrs_.merge(pending, request, coming);
    may_stop_ |= all_places_taken();
    return done(request.write ? Outcome::kWriteMerged : Outcome::kReadMerged);
  }
  if (pending == MshrFile::kNone && mshrs_.full()) return block(Outcome::kBlockedMshr);
  if (!memory_.has_room(asked)) return block(Outcome::kBlockedMemory);
  request.record_fetched(memory_.map().bytes(missing));
  const unsigned mshr = pending != MshrFile::kNone ? pending : mshrs_.allocate(request, missing);
  if (pending != MshrFile::kNone) mshrs_.merge(pending, request, missing);
  may_stop_ |= all_places_taken();
  memory_.fetch(cause_of(request), asked, mshr, now);
  record_memory();
  return done(request.write ? Outcome::kWriteMiss : Outcome::kReadMiss);
}

const Request* Bank::write_through(const Request& request, Cycle now) {
  // The bytes as they are, or all sectors of lanes that are not on neighbouring ones.
  const bool as_it_is = !memory_.map().divided() || request.info->sectors == 0;
  if (memory_.queue().full() || (!as_it_is && !memory_.has_room(request.sectors)))
    return block(Outcome::kBlockedMemory);
  if (!respond(request, now)) return block(Outcome::kBlockedResponse);
  if (as_it_is) memory_.write(request, now);
  else memory_.write(request.line, request.sectors, request.info->origin, now);
  record_memory();
  const unsigned slot = tags_.lookup(request.line);
  if (slot == TagArray::kMiss) return done(Outcome::kWriteMiss);
  const Sectors missing = tags_.missing(slot, request.sectors);
  moved_ = static_cast<Sectors>(request.sectors & ~missing);
  if (moved_ == 0) return done(Outcome::kWriteMiss);
  written_.write(request.line, busy_until_);
  return done(missing == 0 ? Outcome::kWriteHit : Outcome::kWriteMiss);
}

/// A write of whole sectors needs nothing from memory. `slot`: where the line is without some of them, or kMiss.
const Request* Bank::write_whole(const Request& request, unsigned slot, Cycle now) {
  const bool present = slot != TagArray::kMiss;
  if (!present) slot = choose(cause_of(request), now);
  const TagArray::Evicted victim = present ? TagArray::Evicted{} : tags_.content(slot);
  if (!memory_.has_room(victim.dirty)) return block(Outcome::kBlockedMemory);
  if (!respond(request, now)) return block(Outcome::kBlockedResponse);
  if (present) tags_.add(slot, request.sectors, request.sectors);
  else place(slot, request.line, request.sectors, request.sectors, victim.valid);
  if (prefetches_ != nullptr && !present) prefetches_->fill(slot, false);
  moved_ = request.sectors;
  write_back(victim, request.info->origin, now);
  return done(Outcome::kWriteMiss);
}

void Bank::clear() {
  tags_.clear();
  mshrs_.clear();
  queue_.clear();
  replays_.clear();
  fills_.clear();
  memory_.clear();
  busy_until_ = 0;
  fill_busy_until_ = 0;
  fill_blocked_ = false;
  turn_.clear();
  may_stop_ = false;
  written_.clear();
  outcome_ = Outcome::kNothing;
  wrote_back_ = moved_ = 0;
  placed_ = {};
  blocked_ = false;
  if (prefetches_ != nullptr) prefetches_->clear();
}

}  // namespace spica::cache
