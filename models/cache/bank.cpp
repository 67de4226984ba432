// SPDX-License-Identifier: Apache-2.0
#include "models/cache/bank.h"

namespace spica::cache {

using base::Cycle;

Bank::Bank(const Params& params, unsigned number, ResponsePath& responses)
    : queue_(params.request_queue),
      replays_(params.mshr_requests),
      fills_(params.mshrs),
      tags_(params.size_bytes / (params.line_bytes * params.ways * params.banks), params.ways, params.banks,
            params.replacement),
      responses_(responses),
      number_(number),
      fills_beside_(params.sub_banks > 1),
      mshr_for_hits_(params.mshr_for_hits),
      write_policy_(params.write_policy),
      line_shift_(static_cast<std::uint8_t>(__builtin_ctzll(params.line_bytes))),
      width_shift_(static_cast<std::uint8_t>(__builtin_ctzll(params.bank_bytes_per_cycle))),
      miss_latency_(static_cast<std::uint16_t>(params.miss_latency)),
      mshr_requests_(static_cast<std::uint32_t>(params.mshr_requests)),
      memory_queue_limit_(static_cast<std::uint32_t>(params.memory_queue_limit)),
      memory_(params.memory_queue),
      mshrs_(params.mshrs, params.mshr_requests) {}

const Request* Bank::step(Cycle now) {
  if (stalled_since_ != base::kNever) {
    stalls_ += now - stalled_since_;
    stalled_since_ = base::kNever;
  }
  // A place for a response does not help a request that waits for memory.
  if (outcome_ == Outcome::kBlockedMemory && (memory_.full() || stops(now) == Outcome::kBlockedMemory) &&
      replays_.empty() && (fills_.empty() || fills_beside_)) {
    blocked_ = true;
    return nullptr;
  }
  outcome_ = Outcome::kNothing;
  wrote_back_ = false;
  if (step_due() > now) return nullptr;
  if (!replays_.empty() && try_replay(now)) return nullptr;
  if (!fills_.empty() && !fills_beside_ && try_fill(now)) {
    busy_until_ = now + line_passes() + 1;  // the replay that waits keeps its distance, and requests out
    return nullptr;
  }
  const Request* served = queue_.empty() ? nullptr : try_request(now);
  // Whoever is left waits for one of the queues or for memory, unless it only keeps a distance.
  blocked_ = served == nullptr && outcome_ != Outcome::kHazard;
  return served;
}

bool Bank::step_fill(Cycle now) {
  wrote_back_ = false;
  fill_blocked_ = !try_fill(now);
  if (fill_blocked_) return false;
  fill_busy_until_ = now + line_passes();
  blocked_ = false;
  return true;
}

bool Bank::try_replay(Cycle now) {
  if (!respond(replays_.front(), now)) return false;
  replays_.pop();
  outcome_ = Outcome::kReplay;
  return true;
}

bool Bank::try_fill(Cycle now) {
  const unsigned mshr = fills_.front();
  const base::Address line = mshrs_.line(mshr);
  const unsigned slot = tags_.choose(line, turn(now));
  const TagArray::Evicted victim = tags_.content(slot);
  if (victim.valid && victim.dirty && memory_.full()) return false;
  fills_.pop();
  bool dirty = false;
  Request first;
  mshrs_.release(mshr, [&](const Request& request) {
    if (first.payload == nullptr) first = request;
    dirty = dirty || request.write;
    replays_.push(request);
  });
  tags_.replace(slot, line, dirty);
  write_back(victim, first, now);
  outcome_ = Outcome::kFill;
  return true;
}

void Bank::write_back(const TagArray::Evicted& evicted, const Request& cause, Cycle now) {
  if (!evicted.valid || !evicted.dirty) return;
  wrote_back_ = true;
  ask_memory(evicted.line << line_shift_, 1u << line_shift_, true, MshrFile::kNone, cause, now);
}

const Request* Bank::try_request(Cycle now) {
  const Request& request = queue_.front();
  if (may_stop_)
    if (const Outcome why = stops(now); why != Outcome::kNothing) return block(why);
  if (request.write) {
    if (write_policy_ == WritePolicy::kWriteThrough) return write_through(request, now);
    if (write_policy_ == WritePolicy::kReadOnly) {
      if (!respond(request, now)) return block(Outcome::kBlockedResponse);
      return done(Outcome::kWriteMiss);
    }
  } else if (now == after_write_ && request.line == written_line_) {
    outcome_ = Outcome::kHazard;
    return nullptr;
  }

  const unsigned slot = tags_.lookup(request.line);
  if (slot == TagArray::kMiss) return miss(request, now);
  if (!respond(request, now)) return block(Outcome::kBlockedResponse);
  if (!request.write) return done(Outcome::kReadHit);
  tags_.mark_dirty(slot);
  written_line_ = request.line;
  after_write_ = busy_until_;
  return done(Outcome::kWriteHit);
}

const Request* Bank::miss(const Request& request, Cycle now) {
  const unsigned pending = mshrs_.find(request.line);
  if (pending == MshrFile::kNone && request.whole_line) return write_whole_line(request, now);
  if (all_places_taken()) return block(Outcome::kBlockedMshr);
  if (pending != MshrFile::kNone) {
    mshrs_.merge(pending, request);
    may_stop_ |= all_places_taken();
    return done(request.write ? Outcome::kWriteMerged : Outcome::kReadMerged);
  }
  if (mshrs_.full()) return block(Outcome::kBlockedMshr);
  if (memory_.full()) return block(Outcome::kBlockedMemory);
  const unsigned mshr = mshrs_.allocate(request);
  may_stop_ |= all_places_taken();
  ask_memory(request.line << line_shift_, 1u << line_shift_, false, mshr, request, now);
  return done(request.write ? Outcome::kWriteMiss : Outcome::kReadMiss);
}

const Request* Bank::write_through(const Request& request, Cycle now) {
  if (memory_.full()) return block(Outcome::kBlockedMemory);
  if (!respond(request, now)) return block(Outcome::kBlockedResponse);
  ask_memory(request.payload->get_address(), request.bytes, true, MshrFile::kNone, request, now);
  if (tags_.lookup(request.line) == TagArray::kMiss) return done(Outcome::kWriteMiss);
  written_line_ = request.line;
  after_write_ = busy_until_;
  return done(Outcome::kWriteHit);
}

/// A write of a whole line needs nothing from memory.
const Request* Bank::write_whole_line(const Request& request, Cycle now) {
  const unsigned slot = tags_.choose(request.line, turn(now));
  const TagArray::Evicted victim = tags_.content(slot);
  if (victim.valid && victim.dirty && memory_.full()) return block(Outcome::kBlockedMemory);
  if (!respond(request, now)) return block(Outcome::kBlockedResponse);
  tags_.replace(slot, request.line, true);
  write_back(victim, request, now);
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
  stalls_ = 0;
  stalled_since_ = base::kNever;
  may_stop_ = false;
  after_write_ = base::kNever;
  outcome_ = Outcome::kNothing;
  wrote_back_ = false;
  blocked_ = false;
}

}  // namespace spica::cache
