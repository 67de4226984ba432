// SPDX-License-Identifier: Apache-2.0
#include "models/shared_memory/bursts.h"

#include <algorithm>

namespace spica::shared_memory {

template <class WordBanks>
bool BasicBursts<WordBanks>::disturbed(base::Cycle now) const {
  if (now >= streams_.end()) return true;
  for (Sources rest = ports_.queued() & ~streams_.sources(); rest != 0;) {
    const unsigned source = pop_lowest(rest);
    const Request& request = ports_.head(source);
    if (request.ready > now) continue;
    if (ports_.is_core(source) || request.beats > 1 || (request.banks & streams_.reach()) != 0) return true;
  }
  return false;
}

template <class WordBanks>
base::Cycle BasicBursts<WordBanks>::plan(base::Cycle now) {
  const base::Cycle next = now + 1;
  const Sources cores = ports_.at_banks() & ~ports_.wide;
  base::Cycle wake = cores != 0 ? next : base::kNever;  // what these want was taken
  if (cores != 0 && (ports_.queued() & ports_.wide) == 0) return next;
  Sources bursts = 0;
  WordBanks reached = 0;
  base::Cycle last_beat = base::kNever;
  bool meet = false;
  for (Sources rest = ports_.queued() & ~cores & ~streams_.sources(); rest != 0;) {
    const unsigned source = pop_lowest(rest);
    const Request& request = ports_.head(source);
    if (!streams_.any() && request.beats > 1 && request.ready <= next) {
      const WordBanks reached_here = reach(request);
      meet |= (reached & reached_here) != 0;
      reached |= reached_here;
      bursts |= bit(source);
      last_beat = std::min(last_beat, now + request.beats);
    } else {
      wake = std::min(wake, std::max(next, request.ready));
    }
  }
  if (meet) return next;
  if (bursts != 0) {
    streams_.start(bursts, reached, last_beat, now);
    stats_.activity.charge(SharedMemoryStats::kServing, next);
  }
  return streams_.any() ? std::min(wake, streams_.end()) : wake;
}

template <class WordBanks>
bool BasicBursts<WordBanks>::join(unsigned source, const Request& request, base::Cycle now) {
  if (request.beats == 1 || request.ready != now + 1 || ports_.queued() != streams_.sources()) return false;
  const WordBanks reached = reach(request);
  if (streams_.any() && (streams_.reach() & reached) != 0) return false;
  catch_up(now);
  streams_.join(bit(source), reached, now + request.beats, now);
  stats_.activity.charge(SharedMemoryStats::kServing, now + 1);
  return true;
}

/// No beat of a burst still to serve needs a word bank outside these.
template <class WordBanks>
WordBanks BasicBursts<WordBanks>::reach(const Request& request) const {
  WordBanks banks = 0;
  const unsigned last = map_.bank(request.offset + request.beats * request.bytes - 1);
  for (unsigned bank = map_.bank(request.offset); bank <= last; ++bank) banks |= map_.bank_words(bank);
  return banks;
}

template <class WordBanks>
void BasicBursts<WordBanks>::catch_up(base::Cycle through) {
  const std::uint32_t beats = streams_.catch_up(through);
  if (beats == 0) return;
  for (Sources rest = streams_.sources(); rest != 0;) serve(pop_lowest(rest), beats);
}

template <class WordBanks>
void BasicBursts<WordBanks>::serve(unsigned source, std::uint32_t beats) {
  Request& request = ports_.head(source);
  const std::uint32_t bytes = beats * request.bytes;
  const unsigned bank = map_.bank(request.offset);
  if (map_.bank(request.offset + bytes - 1) != bank) {
    while (beats-- != 0) serve(source, 1);
    return;
  }
  banks_.cells().perform(*request.payload, request.skipped(), request.offset, bytes);
  const std::uint64_t words = std::uint64_t{beats} * request.words;
  *ports_[source].words[request.direction] += words;
  *stats_.bank[bank].words[request.direction] += words;
  if (chooses_) chosen_[request.direction][bank].pick(bit(source));
  request.beats -= beats;
  request.offset += bytes;
  request.banks = map_.span(request.offset, request.bytes);
}

template class BasicBursts<std::uint64_t>;
template class BasicBursts<BankSet<4>>;
template class BasicBursts<BankSet<32>>;

}  // namespace spica::shared_memory
