// SPDX-License-Identifier: Apache-2.0
// When the block looks at its banks again, and bursts that advance without being looked at.
#include <algorithm>

#include "models/shared_memory/shared_memory.h"

namespace spica::shared_memory {

/// Do the streams take part in this cycle like all others? They need not while all others are single beats of
/// wide ports in other banks.
template <class WordBanks>
bool BasicSharedMemory<WordBanks>::disturbed() {
  if (now() >= streams_.end()) return true;
  if (lanes_.answering != 0 || (lanes_.to_come != 0 && responses_.next(now() - 1) == now())) return true;
  for (Sources rest = queued() & ~streams_.sources(); rest != 0;) {
    const unsigned source = pop_lowest(rest);
    const Request& request = head(source);
    if (request.ready > now()) continue;
    if (is_core(source) || request.beats > 1 || (request.banks & streams_.reach()) != 0) return true;
  }
  return false;
}

/// The next cycle in which a request reaches the banks or tries again. Bursts that need different banks
/// go on alone up to the cycle before their last beat.
template <class WordBanks>
base::Cycle BasicSharedMemory<WordBanks>::plan() {
  const base::Cycle next = now() + 1;
  const Sources cores = at_banks() & ~wide_;
  base::Cycle wake = cores != 0 ? next : base::kNever;  // what these want was taken
  if (cores != 0 && (queued() & wide_) == 0) return next;
  Sources bursts = 0;
  WordBanks reached = 0;
  base::Cycle last_beat = base::kNever;
  bool meet = false;
  for (Sources rest = queued() & ~cores & ~streams_.sources(); rest != 0;) {
    const unsigned source = pop_lowest(rest);
    const Request& request = head(source);
    if (!streams_.any() && request.beats > 1 && request.ready <= next) {
      const WordBanks reached_here = reach(request);
      meet |= (reached & reached_here) != 0;
      reached |= reached_here;
      bursts |= bit(source);
      last_beat = std::min(last_beat, now() + request.beats);
    } else {
      wake = std::min(wake, std::max(next, request.ready));
    }
  }
  if (meet) return next;
  if (bursts != 0) {
    streams_.start(bursts, reached, last_beat, now());
    stats_.activity.charge(SharedMemoryStats::kServing, next);
  }
  return streams_.any() ? std::min(wake, streams_.end()) : wake;
}

/// Lets a burst that was just accepted stream from the next cycle on, without a tick for its first
/// beat. False: another request is at the banks.
template <class WordBanks>
bool BasicSharedMemory<WordBanks>::join(unsigned source, const Request& request) {
  if (request.beats == 1 || request.ready != now() + 1 || queued() != streams_.sources()) return false;
  const WordBanks reached = reach(request);
  if (streams_.any() && (streams_.reach() & reached) != 0) return false;
  stream(now());
  streams_.join(bit(source), reached, now() + request.beats, now());
  stats_.activity.charge(SharedMemoryStats::kServing, now() + 1);
  wake_at(streams_.end());
  return true;
}

/// No beat of a burst still to serve needs a word bank outside these.
template <class WordBanks>
WordBanks BasicSharedMemory<WordBanks>::reach(const Request& request) const {
  WordBanks banks = 0;
  const unsigned last = map_.bank(request.offset + request.beats * request.bytes - 1);
  for (unsigned bank = map_.bank(request.offset); bank <= last; ++bank) banks |= map_.bank_words(bank);
  return banks;
}

/// Serves the beats of the streams that were due and no later than `through`.
template <class WordBanks>
void BasicSharedMemory<WordBanks>::stream(base::Cycle through) {
  const std::uint32_t beats = streams_.catch_up(through);
  if (beats == 0) return;
  for (Sources rest = streams_.sources(); rest != 0;) stream_beats(pop_lowest(rest), beats);
}

template <class WordBanks>
void BasicSharedMemory<WordBanks>::stream_beats(unsigned source, std::uint32_t beats) {
  Request& request = head(source);
  const std::uint32_t bytes = beats * request.bytes;
  const unsigned bank = map_.bank(request.offset);
  if (map_.bank(request.offset + bytes - 1) != bank) {
    while (beats-- != 0) stream_beats(source, 1);
    return;
  }
  banks_.cells().perform(*request.payload, request.skipped(), request.offset, bytes);
  const std::uint64_t words = std::uint64_t{beats} * request.words;
  *ports_[source].words[request.direction] += words;
  *stats_.bank[bank].words[request.direction] += words;
  if (params_.arbitration == Arbitration::kRoundRobinUniform)
    chosen_[request.direction][bank].pick(bit(source));
  request.beats -= beats;
  request.offset += bytes;
  request.banks = map_.span(request.offset, request.bytes);
}

template <class WordBanks>
void BasicSharedMemory<WordBanks>::catch_up() {
  stream(now() - 1);
}

template class BasicSharedMemory<std::uint64_t>;
template class BasicSharedMemory<BankSet<4>>;
template class BasicSharedMemory<BankSet<32>>;

}  // namespace spica::shared_memory
