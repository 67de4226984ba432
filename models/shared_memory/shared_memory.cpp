// SPDX-License-Identifier: Apache-2.0
// One cycle at the banks: who is served, and the data that moves.
#include "models/shared_memory/shared_memory.h"

#include <algorithm>

namespace spica::shared_memory {

void SharedMemory::tick() {
  if (streams_.any() && disturbed()) {
    stream(now() - 1);
    streams_.stop();
  }
  room_made_ = 0;
  responses_.take_due(now(), [this](const Response& response) {
    if (response.lanes == 0 || answered_at_once(response)) return respond(response);
    answers_[response.source - first_core_].add(
        {response.payload, protocol::access_of(*response.payload), response.lanes});
    answering_ |= bit(response.source);
  });
  blocked_ = 0;
  if (answering_ != 0) answer_lanes();
  if (coming_ != 0) come_up();
  if ((at_banks() & ~streams_.sources()) != 0) serve();
  if ((held_ & room_made_) != 0) take_held();
  wake_at(std::min(plan(), answering_ != 0 ? now() + 1 : responses_.next(now())));
}

/// All lanes of an access have been served together, and nothing is in their way to the core. Nearly always.
inline bool SharedMemory::answered_at_once(const Response& response) {
  --lane_answers_;
  if ((response.lanes & 1) == 0 || (answering_ & bit(response.source)) != 0) return false;
  const protocol::WarpAccess& access = *protocol::access_of(*response.payload);
  if (access.unanswered != response.lanes || access.wires->answered == now()) return false;
  access.wires->answered = now();
  return true;
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
  changed_ = 0;
  if ((coming_behind_ & at_banks()) != 0) come_up_behind();
  Sources unaligned[2] = {0, 0};
  if ((unaligned_heads_ | apart_) != 0) {
    for (const Direction direction : {kRead, kWrite})
      unaligned[direction] =
          ((unaligned_heads_ & at_banks_[direction] & ~apart_) | open_unaligned_[direction]) >> first_core_;
    if (unaligned[kRead] != 0 && unaligned[kWrite] != 0 && params_.unaligned_joins_directions &&
        unaligned_[kRead].serialised()) {
      // One path for both directions: only the core whose turn it is stays in the running.
      const auto lanes_of = [this](unsigned core) {
        return unaligned_lanes(first_core_ + core, kRead) | unaligned_lanes(first_core_ + core, kWrite);
      };
      const unsigned turn = unaligned_[kRead].pick_core(unaligned[kRead] | unaligned[kWrite], lanes_of);
      const std::uint32_t lanes = unaligned_[kRead].pick_lanes(turn, lanes_of(turn));
      const bool reads = (lanes & unaligned_lanes(first_core_ + turn, kRead)) != 0;
      unaligned[kRead] = reads ? bit(turn) : 0;
      unaligned[kWrite] = reads ? 0 : bit(turn);
    }
  }
  taken_[kRead] = blocked_;
  taken_[kWrite] = 0;
  done_ = 0;
  conflict_ = false;
  const Sources others = ~(streams_.sources() | apart_);
  const Sources heads[2] = {(at_banks_[kRead] & others) | open_at_banks_[kRead],
                            (at_banks_[kWrite] & others) | open_at_banks_[kWrite]};
  if (heads[kWrite] != 0) serve_network(kWrite, heads[kWrite], unaligned[kWrite]);
  if (heads[kRead] != 0) serve_network(kRead, heads[kRead], unaligned[kRead]);
  bool lanes_wait = ((heads[kRead] | heads[kWrite]) & ~apart_) != done_ || (apart_ & ~changed_) != 0;
  for (Sources rest = changed_; rest != 0;) lanes_wait |= end_of_cycle(pop_lowest(rest));
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
  stats_.activity.charge(streams_.any() ? SharedMemoryStats::kServing : SharedMemoryStats::kIdle, now() + 1);
}

/// One direction: the sources the banks have chosen, then all in the order of their index,
/// then unaligned lanes of `cores`.
void SharedMemory::serve_network(Direction direction, Sources heads, Sources cores) {
  if (params_.arbitration == Arbitration::kRoundRobinUniform) serve_chosen(direction, heads);
  for (Sources rest = heads; rest != 0;) {
    const unsigned source = pop_lowest(rest);
    if ((apart_ & bit(source)) != 0) {
      const WordBanks& left = open_[source - first_core_].banks[direction];
      if ((left & ~taken_[direction]) != 0) serve_open(source, direction, ~WordBanks{0});
      conflict_ |= left != 0;
      continue;
    }
    Request& request = head(source);
    if (request.banks != 0) {
      if (is_core(source)) serve_aligned(request, ~WordBanks{0});
      else serve_wide(source, request);
    }
    if (request.done()) {
      done_ |= bit(source);
    } else {
      conflict_ |= request.banks != 0;
      if (is_core(source) && request.apart && request.served != 0) changed_ |= bit(source);
    }
  }
  if (cores != 0) serve_unaligned(direction, cores);
}

/// v2: every bank offers all its words to one source; what that leaves free goes by index.
void SharedMemory::serve_chosen(Direction direction, Sources heads) {
  std::array<Sources, kMaxBanks> wanted{};
  for (Sources rest = heads; rest != 0;) {
    const unsigned source = pop_lowest(rest);
    for (WordBanks banks = wanted_by(source, direction); banks != 0;) {
      const unsigned bank = map_.bank_of_index(static_cast<unsigned>(__builtin_ctzll(banks)));
      banks &= ~map_.bank_words(bank);
      wanted[bank] |= bit(source);
    }
  }
  for (unsigned bank = 0; bank < params_.banks; ++bank) {
    if (wanted[bank] == 0) continue;
    const unsigned source = chosen_[direction][bank].pick(wanted[bank]);
    if ((apart_ & bit(source)) != 0) serve_open(source, direction, map_.bank_words(bank));
    else if (is_core(source)) serve_aligned(head(source), map_.bank_words(bank));
    else serve_wide(source, head(source));
  }
}

void SharedMemory::serve_wide(unsigned source, Request& request) {
  if (request.banks == 0 || (taken_[request.direction] & request.banks) != 0) return;
  taken_[request.direction] |= request.banks;
  request.banks = 0;
  cells_.perform(*request.payload, request.skipped(), request.offset, request.bytes);
  *ports_[source].words[request.direction] += request.words;
  *stats_.bank[map_.bank(request.offset)].words[request.direction] += request.words;
}

/// Serves the aligned lanes of a core's head whose banks are free and in `within`.
void SharedMemory::serve_aligned(Request& request, WordBanks within) {
  const WordBanks free = within & ~taken(request);
  if ((request.banks & free) == 0) return;
  if (request.contiguous && (request.banks & ~free) == 0) return serve_row(request);
  request.contiguous = false;
  if (serves_together_ && request.degree == 1 && request.atomic == protocol::Atomic::kNone &&
      (request.banks & ~free) == 0)
    return serve_together(request);
  const Served served = serve_lanes(request, request.aligned, within);
  request.aligned &= ~served.lanes;
  request.served |= served.lanes;
  request.banks = served.left;
}

/// A contiguous access whose word banks are all free: lane by lane in one go.
void SharedMemory::serve_row(Request& request) {
  taken_[request.direction] |= request.banks;
  const auto lanes = static_cast<unsigned>(params_.lanes);
  cells_.move_row(*request.access, request.direction == kWrite, request.offset, lanes);
  *stats_.core.words[request.direction] += lanes;
  *stats_.bank[map_.bank(request.offset)].words[request.direction] += lanes;
  request.served = request.aligned;
  request.aligned = 0;
  request.banks = 0;
}

/// With `broadcast` and one bank: an access in which no two words meet, all at once.
void SharedMemory::serve_together(Request& request) {
  taken_[request.direction] |= request.banks;
  protocol::WarpAccess& access = *request.access;
  for (std::uint32_t rest = request.aligned; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(rest));
    cells_.move_lane(access, lane, request.direction == kWrite, access.address[lane] - base_);
  }
  const auto words = static_cast<unsigned>(__builtin_popcountll(request.banks));
  *stats_.core.words[request.direction] += words;
  *stats_.bank[0].words[request.direction] += words;
  request.served |= request.aligned;
  request.aligned = 0;
  request.banks = 0;
}

/// Serves those of `lanes` whose word bank is free and in `within`, lowest lane first; with `broadcast` with all that
/// are on the same word.
SharedMemory::Served SharedMemory::serve_lanes(Request& request, std::uint32_t lanes, WordBanks within) {
  const WordBanks before = within & ~taken(request);
  WordBanks free = before;
  Served served{0, 0};
  std::uint64_t words = 0;
  const bool shares = params_.broadcast && request.atomic == protocol::Atomic::kNone;
  std::array<std::uint32_t, 64> word;  // by bank that it takes, with `broadcast`
  for (; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(lanes));
    const std::uint32_t offset = request.access->address[lane] - base_;
    const unsigned index = map_.index(offset);
    const WordBanks wanted = WordBanks{1} << index;
    if ((free & wanted) == 0) {
      if (shares && (before & wanted) != 0 && word[index] == map_.word_number(offset)) {
        served.lanes |= 1u << lane;
        cells_.move_lane(*request.access, lane, request.direction == kWrite, offset);
        continue;
      }
      served.left |= wanted;
      continue;
    }
    free &= ~wanted;
    if (shares) word[index] = map_.word_number(offset);
    served.lanes |= 1u << lane;
    ++words;
    const unsigned bank = map_.bank(offset);
    ++*stats_.bank[bank].words[request.direction];
    if (request.atomic == protocol::Atomic::kNone)
      cells_.move_lane(*request.access, lane, request.direction == kWrite, offset);
    else perform_atomic(request, lane, offset, bank);
  }
  *stats_.core.words[request.direction] += words;
  take(request, before & ~free);
  return served;
}

void SharedMemory::perform_atomic(Request& request, unsigned lane, std::uint32_t offset, unsigned bank) {
  ++stats_.atomics;
  if (!cells_.perform_atomic(protocol::info_of(*request.payload), *request.access, lane, offset)) return;
  ++*stats_.core.words[kWrite];
  ++*stats_.bank[bank].words[kWrite];
}

void SharedMemory::finish(unsigned source) {
  Port& port = ports_[source];
  const Request& request = port.queue.front();
  const base::Cycle waited = now() - std::max(request.ready, port.free);
  const bool apart = is_core(source) && request.apart;
  if (is_core(source)) {
    stats_.bank_conflict_cycles += waited;
    answer(source, request, apart && request.direction == kRead ? request.served : 0);
  } else {
    stats_.wide_wait_cycles += waited - request.followers;
    answer(source, request, 0);
  }
  at_banks_[request.direction] &= ~bit(source);
  room_made_ |= bit(source);
  port.free = now() + 1;
  if (apart) --request.access->wires->accesses;
  port.queue.drop();
  if (!port.queue.empty()) coming_ |= bit(source);
  if ((apart_ & bit(source)) != 0) finish_apart(source);
  else if ((mixed_ & bit(source)) != 0) go_on_mixed(source);
}

}  // namespace spica::shared_memory
