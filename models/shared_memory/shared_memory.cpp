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

/// A row of lanes; the fixed size of the common one spares a call.
void copy_row(unsigned char* to, const unsigned char* from, std::size_t bytes) {
  if (bytes == 32) std::memcpy(to, from, 32);
  else std::memcpy(to, from, bytes);
}

/// Wide: bytes in front of the next beat.
unsigned skipped(const Request& request) {
  return request.offset - static_cast<std::uint32_t>(request.payload->get_address());
}

}  // namespace

void SharedMemory::tick() {
  if (streams_ != 0 && disturbed()) {
    stream(now() - 1);
    streams_ = 0;
  }
  room_made_ = 0;
  responses_.take_due(now(), [this](const Response& response) {
    Port& port = ports_[response.source];
    --port.in_flight;
    room_made_ |= bit(response.source);
    port.socket->respond(*response.payload);
  });
  if (coming_ != 0) come_up();
  if ((at_banks() & ~streams_) != 0) serve();
  if ((held_ & room_made_) != 0) take_held();
  wake_at(std::min(plan(), responses_.next(now())));
}

/// Do the streams take part in this cycle like all others? They need not while all others are single beats of
/// wide ports in other banks.
bool SharedMemory::disturbed() {
  if (now() >= stream_end_) return true;
  for (Sources rest = queued() & ~streams_; rest != 0;) {
    const unsigned source = pop_lowest(rest);
    const Request& request = head(source);
    if (request.ready > now()) continue;
    if (is_core(source) || request.beats > 1 || (request.banks & stream_reach_) != 0) return true;
  }
  return false;
}

/// The next cycle in which a request reaches the banks or tries again. Bursts that need different banks
/// go on alone up to the cycle before their last beat.
base::Cycle SharedMemory::plan() {
  const base::Cycle next = now() + 1;
  const Sources cores = at_banks() >> first_core_ << first_core_;
  base::Cycle wake = cores != 0 ? next : base::kNever;  // what these want was taken
  Sources bursts = 0;
  WordBanks reached = 0;
  base::Cycle last_beat = base::kNever;
  bool meet = false;
  for (Sources rest = queued() & ~cores & ~streams_; rest != 0;) {
    const unsigned source = pop_lowest(rest);
    const Request& request = head(source);
    if (streams_ == 0 && request.beats > 1 && request.ready <= next) {
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
    streams_ = bursts;
    streamed_ = now();
    stream_end_ = last_beat;
    stream_reach_ = reached;
    stats_.activity.charge(SharedMemoryStats::kServing, next);
  }
  return streams_ != 0 ? std::min(wake, stream_end_) : wake;
}

/// Lets a burst that was just accepted stream from the next cycle on, without a tick for its first
/// beat. False: another request is at the banks.
bool SharedMemory::join(unsigned source, const Request& request) {
  if (request.beats == 1 || request.ready != now() + 1 || queued() != streams_) return false;
  const WordBanks reached = reach(request);
  if (streams_ == 0) {
    stream_reach_ = 0;
    stream_end_ = base::kNever;
  } else {
    if ((stream_reach_ & reached) != 0) return false;
    stream(now());
  }
  streamed_ = now();
  streams_ |= bit(source);
  stream_reach_ |= reached;
  stream_end_ = std::min(stream_end_, now() + request.beats);
  stats_.activity.charge(SharedMemoryStats::kServing, now() + 1);
  wake_at(stream_end_);
  return true;
}

/// No beat of a burst still to serve needs a word bank outside these.
WordBanks SharedMemory::reach(const Request& request) const {
  WordBanks banks = 0;
  const unsigned last = map_.bank(request.offset + request.beats * request.bytes - 1);
  for (unsigned bank = map_.bank(request.offset); bank <= last; ++bank) banks |= map_.bank_words(bank);
  return banks;
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
  move_bytes(*request.payload, skipped(request), request.offset, bytes);
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

/// Requests whose way to the banks is over.
void SharedMemory::come_up() {
  for (Sources rest = coming_; rest != 0;) {
    const unsigned source = pop_lowest(rest);
    const Request& request = head(source);
    if (request.ready > now()) continue;
    coming_ &= ~bit(source);
    at_banks_[request.direction] |= bit(source);
    if (request.unaligned != 0) unaligned_heads_ |= bit(source);
  }
}

/// Stores before loads: the banks are write-first.
void SharedMemory::serve() {
  Sources unaligned[2] = {0, 0};
  if (unaligned_heads_ != 0) {
    for (const Direction direction : {kRead, kWrite})
      unaligned[direction] = (unaligned_heads_ & at_banks_[direction]) >> first_core_;
    if (unaligned[kRead] != 0 && unaligned[kWrite] != 0 && params_.unaligned_joins_directions &&
        unaligned_[kRead].serialised()) {
      // One path for both directions: only the core whose turn it is stays in the running.
      const Sources turn =
          bit(unaligned_[kRead].pick_core(unaligned[kRead] | unaligned[kWrite], [this](unsigned core) {
            return head(first_core_ + core).unaligned;
          }));
      unaligned[kRead] &= turn;
      unaligned[kWrite] &= turn;
    }
  }
  taken_[kRead] = taken_[kWrite] = 0;
  done_ = 0;
  conflict_ = false;
  const Sources heads[2] = {at_banks_[kRead] & ~streams_, at_banks_[kWrite] & ~streams_};
  if (heads[kWrite] != 0) serve_network(kWrite, heads[kWrite], unaligned[kWrite]);
  if (heads[kRead] != 0) serve_network(kRead, heads[kRead], unaligned[kRead]);
  const bool lanes_wait = (heads[kRead] | heads[kWrite]) != done_;
  for (Sources rest = done_; rest != 0;) {
    const unsigned source = pop_lowest(rest);
    Request& request = head(source);
    if (--request.beats == 0) {
      finish(source);
    } else {
      request.offset += request.bytes;
      request.banks = map_.span(request.offset, request.bytes);
    }
  }
  stats_.activity.charge(conflict_    ? SharedMemoryStats::kBankConflict
                         : lanes_wait ? SharedMemoryStats::kSerialising
                                      : SharedMemoryStats::kServing,
                         now());
  stats_.activity.charge(streams_ != 0 ? SharedMemoryStats::kServing : SharedMemoryStats::kIdle, now() + 1);
}

/// One direction: the sources the banks have chosen, then all in the order of their index,
/// then unaligned lanes of `cores`.
void SharedMemory::serve_network(Direction direction, Sources heads, Sources cores) {
  if (params_.arbitration == Arbitration::kRoundRobinUniform) serve_chosen(direction, heads);
  for (Sources rest = heads; rest != 0;) {
    const unsigned source = pop_lowest(rest);
    Request& request = head(source);
    if (request.banks != 0) {
      if (is_core(source)) serve_aligned(request, ~WordBanks{0});
      else serve_wide(source, request);
    }
    if (request.done()) done_ |= bit(source);
    else conflict_ |= request.banks != 0;
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
    if (is_core(source)) serve_aligned(head(source), map_.bank_words(bank));
    else serve_wide(source, head(source));
  }
}

void SharedMemory::serve_wide(unsigned source, Request& request) {
  if (request.banks == 0 || (taken_[request.direction] & request.banks) != 0) return;
  taken_[request.direction] |= request.banks;
  request.banks = 0;
  move_bytes(*request.payload, skipped(request), request.offset, request.bytes);
  if (request.direction == kWrite) reservations_.store(request.offset, request.bytes);
  *ports_[source].words[request.direction] += request.words;
  *stats_.bank[map_.bank(request.offset)].words[request.direction] += request.words;
}

/// Serves the aligned lanes of a core's head whose banks are free and in `within`.
void SharedMemory::serve_aligned(Request& request, WordBanks within) {
  const WordBanks free = within & ~taken(request);
  if ((request.banks & free) == 0) return;
  if (request.contiguous && (request.banks & ~free) == 0) return serve_row(request);
  request.contiguous = false;
  const Served served = serve_lanes(request, request.aligned, within);
  request.aligned &= ~served.lanes;
  request.banks = served.left;
}

/// A contiguous access whose word banks are all free: lane by lane in one go.
void SharedMemory::serve_row(Request& request) {
  taken_[request.direction] |= request.banks;
  unsigned char* const stored = &storage_[request.offset];
  unsigned char* const data = reinterpret_cast<unsigned char*>(request.access->data.data());
  const auto lanes = static_cast<unsigned>(params_.lanes);
  if (request.direction == kRead) {
    copy_row(data, stored, 4 * lanes);
  } else {
    copy_row(stored, data, 4 * lanes);
    reservations_.store(request.offset, 4 * lanes);
  }
  *stats_.core.words[request.direction] += lanes;
  *stats_.bank[map_.bank(request.offset)].words[request.direction] += lanes;
  request.aligned = 0;
  request.banks = 0;
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
    const std::uint32_t served = serve_lanes(request, offered, ~WordBanks{0}).lanes;
    request.unaligned &= ~served;
    if (request.unaligned == 0) unaligned_heads_ &= ~bit(first_core_ + core);
    if (request.done()) done_ |= bit(first_core_ + core);
    stats_.unaligned_requests += static_cast<unsigned>(__builtin_popcount(served));
    conflict_ |= served != offered;
    if (core == first) first_served = served;
    cores &= ~bit(core);
    // The crossbar continues with the cores after it, then from the beginning.
    const Sources ahead = core == 63 ? 0 : cores & (~Sources{0} << (core + 1));
    if (cores != 0) core = static_cast<unsigned>(__builtin_ctzll(ahead != 0 ? ahead : cores));
  } while (cores != 0 && !path.serialised());
  if (first_served != 0) path.served(first, 31 - static_cast<unsigned>(__builtin_clz(first_served)));
}

/// Serves those of `lanes` whose word bank is free and in `within`, lowest lane first.
SharedMemory::Served SharedMemory::serve_lanes(Request& request, std::uint32_t lanes, WordBanks within) {
  const WordBanks before = within & ~taken(request);
  WordBanks free = before;
  Served served{0, 0};
  std::uint64_t words = 0;
  for (; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(lanes));
    const std::uint32_t offset = request.access->address[lane] - base_;
    const WordBanks wanted = WordBanks{1} << map_.index(offset);
    if ((free & wanted) == 0) {
      served.left |= wanted;
      continue;
    }
    free &= ~wanted;
    served.lanes |= 1u << lane;
    ++words;
    const unsigned bank = map_.bank(offset);
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
  const protocol::Reservations::Effect effect =
      reservations_.perform(request.atomic, protocol::Reservations::holder(origin, lane), offset, old, data);
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
  responses_.schedule(now(), now() + port.latency[request.direction], {request.payload, source});
  at_banks_[request.direction] &= ~bit(source);
  room_made_ |= bit(source);
  port.free = now() + 1;
  port.queue.drop();
  if (!port.queue.empty()) coming_ |= bit(source);
}

}  // namespace spica::shared_memory
