// SPDX-License-Identifier: Apache-2.0
// One cycle at the banks: who is served, and the data that moves.
#include "models/shared_memory/shared_memory.h"

#include <algorithm>
#include <cstring>

namespace spica::shared_memory {

namespace {

/// Takes the lowest set bit out of `bits` and returns its number.
unsigned pop_lowest(std::uint64_t& bits) {
  const auto lowest = static_cast<unsigned>(__builtin_ctzll(bits));
  bits &= bits - 1;
  return lowest;
}

}  // namespace

void SharedMemory::tick() {
  if (streams_ != 0) {
    stream(now() - 1);
    streams_ = 0;
  }
  responses_.take_due(now(), [this](const Response& response) {
    Port& port = ports_[response.source];
    --port.in_flight;
    port.socket->respond(*response.payload);
  });
  if (queued_ != 0) serve();
  if (held_ != 0) take_held();
  plan();
  wake_at(responses_.next(now()));
}

/// Wakes for whatever is before the banks. Bursts that need different banks go on alone up to the
/// cycle before their last beat; any other request before the banks makes a tick of its own, in which
/// they take part like everybody.
void SharedMemory::plan() {
  streams_ = 0;
  WordBanks reached = 0;
  base::Cycle last_beat = base::kNever;
  bool meet = false;
  for (Sources rest = queued_; rest != 0;) {
    const unsigned source = pop_lowest(rest);
    const Request& request = head(source);
    if (request.beats > 1 && request.ready <= now() + 1) {
      meet |= (reached & request.reach) != 0;
      reached |= request.reach;
      streams_ |= bit(source);
      last_beat = std::min(last_beat, now() + request.beats);
    } else {
      wake_at(std::max(now() + 1, request.ready));
    }
  }
  if (streams_ == 0) return;
  if (meet) {
    streams_ = 0;
    return wake_next();
  }
  streamed_ = now();
  stats_.activity.charge(SharedMemoryStats::kServing, now() + 1);
  wake_at(last_beat);
}

/// Lets a burst that was just accepted stream from the next cycle on, without a tick for its first
/// beat. False: somebody else is before the banks.
bool SharedMemory::join(unsigned source, const Request& request) {
  if (request.beats == 1 || request.ready != now() + 1 || ports_[source].queue.size() != 1 ||
      queued_ != streams_)
    return false;
  for (Sources rest = streams_; rest != 0;)
    if ((head(pop_lowest(rest)).reach & request.reach) != 0) return false;
  if (streams_ != 0) stream(now());
  streamed_ = now();
  streams_ |= bit(source);
  stats_.activity.charge(SharedMemoryStats::kServing, now() + 1);
  wake_at(now() + request.beats);
  return true;
}

/// Serves the beats of the streams that were due after streamed_ and no later than `through`.
void SharedMemory::stream(base::Cycle through) {
  if (through <= streamed_) return;
  const auto beats = static_cast<std::uint32_t>(through - streamed_);
  streamed_ = through;
  for (Sources rest = streams_; rest != 0;) stream_beats(pop_lowest(rest), beats);
}

void SharedMemory::stream_beats(unsigned source, std::uint32_t beats) {
  Request& request = head(source);
  const std::uint32_t bytes = beats * request.bytes;
  const unsigned bank = map_.bank(request.offset);
  if (map_.bank(request.offset + bytes - 1) != bank) {
    while (beats-- != 0) stream_beats(source, 1);
    return;
  }
  move_bytes(*request.payload, request.begin, request.offset, bytes);
  if (request.direction == kWrite) reservations_.store(request.offset, bytes);
  const std::uint64_t words = std::uint64_t{beats} * request.words;
  *ports_[source].words[request.direction] += words;
  *stats_.bank[bank].words[request.direction] += words;
  if (params_.arbitration == Arbitration::kRoundRobinUniform)
    chosen_[request.direction][bank].pick(bit(source));
  request.beats -= beats;
  request.offset += bytes;
  request.banks = map_.span(request.offset, request.bytes);
}

/// Stores before loads: the banks are write-first.
void SharedMemory::serve() {
  Sources heads[2] = {0, 0};
  Sources unaligned[2] = {0, 0};
  for (Sources rest = queued_; rest != 0;) {
    const unsigned source = pop_lowest(rest);
    const Request& request = ports_[source].queue.front();
    if (request.ready > now()) continue;
    heads[request.direction] |= bit(source);
    if (request.unaligned != 0) unaligned[request.direction] |= bit(source - first_core_);
  }
  if ((heads[kRead] | heads[kWrite]) == 0) return;

  if (unaligned[kRead] != 0 && unaligned[kWrite] != 0 && params_.unaligned_joins_directions &&
      unaligned_[kRead].serialised()) {
    // One path for both directions: only the core whose turn it is stays in the running.
    const Sources turn = bit(unaligned_[kRead].pick_core(
        unaligned[kRead] | unaligned[kWrite],
        [this](unsigned core) { return head(first_core_ + core).unaligned; }));
    unaligned[kRead] &= turn;
    unaligned[kWrite] &= turn;
  }
  taken_[kRead] = taken_[kWrite] = 0;
  conflict_ = false;
  if (heads[kWrite] != 0) serve_network(kWrite, heads[kWrite], unaligned[kWrite]);
  if (heads[kRead] != 0) serve_network(kRead, heads[kRead], unaligned[kRead]);

  bool lanes_wait = false;
  for (Sources rest = heads[kRead] | heads[kWrite]; rest != 0;) {
    const unsigned source = pop_lowest(rest);
    Request& request = head(source);
    if (request.done()) {
      if (--request.beats == 0) {
        finish(source);
      } else {
        request.offset += request.bytes;
        request.banks = map_.span(request.offset, request.bytes);
      }
    } else {
      conflict_ |= request.banks != 0;
      lanes_wait = true;
    }
  }
  stats_.activity.charge(conflict_    ? SharedMemoryStats::kBankConflict
                         : lanes_wait ? SharedMemoryStats::kSerialising
                                      : SharedMemoryStats::kServing,
                         now());
  stats_.activity.charge(SharedMemoryStats::kIdle, now() + 1);
}

/// One direction: the sources the banks have chosen, then everybody in the order of their index,
/// then unaligned lanes of `cores`.
void SharedMemory::serve_network(Direction direction, Sources heads, Sources cores) {
  if (params_.arbitration == Arbitration::kRoundRobinUniform) serve_chosen(direction, heads);
  for (Sources rest = heads; rest != 0;) {
    const unsigned source = pop_lowest(rest);
    if (is_core(source))
      serve_aligned(source, ~WordBanks{0});
    else
      serve_wide(source);
  }
  if (cores != 0) serve_unaligned(direction, cores);
}

/// v2: every bank offers all its words to one source; what that leaves free goes by index.
void SharedMemory::serve_chosen(Direction direction, Sources heads) {
  std::array<Sources, kMaxBanks> wanted{};
  for (Sources rest = heads; rest != 0;) {
    const unsigned source = pop_lowest(rest);
    for (WordBanks banks = head(source).banks; banks != 0;) {
      const unsigned bank = map_.bank_of_index(static_cast<unsigned>(__builtin_ctzll(banks)));
      banks &= ~map_.bank_words(bank);
      wanted[bank] |= bit(source);
    }
  }
  for (unsigned bank = 0; bank < params_.banks; ++bank) {
    if (wanted[bank] == 0) continue;
    const unsigned source = chosen_[direction][bank].pick(wanted[bank]);
    if (is_core(source))
      serve_aligned(source, map_.bank_words(bank));
    else
      serve_wide(source);
  }
}

void SharedMemory::serve_wide(unsigned source) {
  Request& request = head(source);
  if (request.banks == 0 || (taken_[request.direction] & request.banks) != 0) return;
  taken_[request.direction] |= request.banks;
  request.banks = 0;
  move_bytes(*request.payload, request.begin, request.offset, request.bytes);
  if (request.direction == kWrite) reservations_.store(request.offset, request.bytes);
  *ports_[source].words[request.direction] += request.words;
  *stats_.bank[map_.bank(request.offset)].words[request.direction] += request.words;
}

/// Serves the aligned lanes of a core's head whose banks are free and in `within`.
void SharedMemory::serve_aligned(unsigned source, WordBanks within) {
  Request& request = head(source);
  const WordBanks banks = request.banks;
  if ((banks & within) == 0) return;
  if (request.contiguous && (banks & ~within) == 0 && (taken_[request.direction] & banks) == 0) {
    taken_[request.direction] |= banks;
    unsigned char* const stored = &storage_[request.offset];
    const std::size_t bytes = 4 * params_.lanes;
    if (request.direction == kRead) {
      std::memcpy(request.access->data.data(), stored, bytes);
    } else {
      std::memcpy(stored, request.access->data.data(), bytes);
      reservations_.store(request.offset, static_cast<std::uint32_t>(bytes));
    }
    *stats_.core.words[request.direction] += params_.lanes;
    *stats_.bank[map_.bank(request.offset)].words[request.direction] += params_.lanes;
    request.aligned = 0;
    request.banks = 0;
    return;
  }
  if (request.contiguous) {
    request.contiguous = false;
    filter_.index_lanes(request);
  }
  request.aligned &= ~serve_lanes(request, request.aligned, within);
  request.banks = banks_of(request, request.aligned);
}

void SharedMemory::serve_unaligned(Direction direction, Sources cores) {
  UnalignedPath& path = unaligned_[params_.unaligned_joins_directions ? kRead : direction];
  const auto lanes_of = [this](unsigned core) { return head(first_core_ + core).unaligned; };
  const unsigned first = path.pick_core(cores, lanes_of);
  unsigned core = first;
  std::uint32_t first_served = 0;
  do {
    Request& request = head(first_core_ + core);
    const std::uint32_t offered = path.pick_lanes(core, request.unaligned);
    const std::uint32_t served = serve_lanes(request, offered, ~WordBanks{0});
    request.unaligned &= ~served;
    stats_.unaligned_requests += static_cast<unsigned>(__builtin_popcount(served));
    conflict_ |= served != offered;
    if (core == first) first_served = served;
    cores &= ~bit(core);
    // The crossbar goes on with the cores behind, then from the beginning.
    const Sources ahead = core == 63 ? 0 : cores & (~Sources{0} << (core + 1));
    if (cores != 0) core = static_cast<unsigned>(__builtin_ctzll(ahead != 0 ? ahead : cores));
  } while (cores != 0 && !path.serialised());
  if (first_served != 0)
    path.served(first, 31 - static_cast<unsigned>(__builtin_clz(first_served)));
}

/// Word banks of some lanes of a core's request.
WordBanks SharedMemory::banks_of(const Request& request, std::uint32_t lanes) {
  WordBanks banks = 0;
  for (; lanes != 0; lanes &= lanes - 1)
    banks |= WordBanks{1} << request.index[static_cast<unsigned>(__builtin_ctz(lanes))];
  return banks;
}

/// Serves those of `lanes` whose word bank is free and in `within`, lowest lane first. Returns
/// them.
std::uint32_t SharedMemory::serve_lanes(Request& request, std::uint32_t lanes, WordBanks within) {
  const WordBanks before = within & ~taken(request);
  if ((request.banks & before) == 0 && request.unaligned == 0) return 0;
  WordBanks free = before;
  std::uint32_t served = 0;
  std::uint64_t words = 0;
  for (; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(lanes));
    const unsigned index = request.index[lane];
    if ((free >> index & 1) == 0) continue;
    free &= ~(WordBanks{1} << index);
    served |= 1u << lane;
    ++words;
    const std::uint32_t offset = request.access->address[lane] - base_;
    const unsigned bank = map_.bank_of_index(index);
    ++*stats_.bank[bank].words[request.direction];
    if (request.atomic == protocol::Atomic::kNone) move_lane(request, lane, offset);
    else perform_atomic(request, lane, offset, bank);
  }
  *stats_.core.words[request.direction] += words;
  take(request, before & ~free);
  return served;
}

void SharedMemory::move_lane(Request& request, unsigned lane, std::uint32_t offset) {
  const unsigned bytes = request.access->bytes;
  std::uint32_t& data = request.access->data[lane];
  unsigned char* const stored = &storage_[offset];
  if (request.direction == kRead) {
    if (bytes == 4) {  // a fixed size spares the call
      std::memcpy(&data, stored, 4);
      return;
    }
    data = 0;
    std::memcpy(&data, stored, bytes);
  } else {
    std::memcpy(stored, &data, bytes);
    reservations_.store(offset, bytes);
  }
}

void SharedMemory::perform_atomic(Request& request, unsigned lane, std::uint32_t offset, unsigned bank) {
  std::uint32_t& data = request.access->data[lane];
  unsigned char* const stored = &storage_[offset];
  std::uint32_t old = 0;
  std::memcpy(&old, stored, sizeof old);
  const protocol::Origin& origin = protocol::info_of(*request.payload).origin;
  const protocol::Reservations::Effect effect = reservations_.perform(
      request.atomic, protocol::Reservations::holder(origin, lane), offset, old, data);
  data = effect.answer;
  ++stats_.atomics;
  if (!effect.stores) return;
  std::memcpy(stored, &effect.stored, sizeof effect.stored);
  ++*stats_.core.words[kWrite];
  ++*stats_.bank[bank].words[kWrite];
}

void SharedMemory::finish(unsigned source) {
  Port& port = ports_[source];
  const Request& request = port.queue.front();
  const base::Cycle waited = now() - std::max(request.ready, port.free) - request.followers;
  (is_core(source) ? stats_.bank_conflict_cycles : stats_.wide_wait_cycles) += waited;
  responses_.schedule(now(), now() + port.latency[request.direction], request);
  port.free = now() + 1;
  port.queue.drop();
  if (port.queue.empty()) queued_ &= ~bit(source);
}

}  // namespace spica::shared_memory
