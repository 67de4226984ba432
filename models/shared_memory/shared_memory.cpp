// SPDX-License-Identifier: Apache-2.0
// One cycle at the banks: who is served.
#include "models/shared_memory/shared_memory.h"

#include <algorithm>

#include "models/base/hot_inline.h"

namespace spica::shared_memory {

/// All lanes of an access have been served together, and nothing is in their way to the core. Nearly always.
template <class WordBanks>
SPICA_HOT_INLINE bool BasicSharedMemory<WordBanks>::answered_at_once(const Response& response,
                                                                     base::Cycle now) {
  --lanes_.to_come;
  if ((response.lanes & 1) == 0 || (lanes_.answering & bit(response.source)) != 0) return false;
  const protocol::WarpAccess& access = *protocol::access_of(*response.payload);
  if (access.unanswered != response.lanes || access.wires->answered == now) return false;
  access.wires->answered = now;
  return true;
}

/// Requests whose way to the banks is over.
template <class WordBanks>
SPICA_HOT_INLINE void BasicSharedMemory<WordBanks>::come_up(base::Cycle now) {
  for (Sources rest = ports_.coming; rest != 0;) {
    const unsigned source = pop_lowest(rest);
    if (ports_.head(source).ready > now) continue;
    ports_.come_up(source);
  }
}

template <class WordBanks>
void BasicSharedMemory<WordBanks>::tick() {
  const base::Cycle cycle = now();
  if (bursts_.any() && (lanes_answer(cycle) || bursts_.disturbed(cycle))) {
    bursts_.catch_up(cycle - 1);
    bursts_.stop();
  }
  ports_.room_made = 0;
  responses_.take_due(cycle, [this, cycle](const Response& response) {
    if (response.lanes == 0 || answered_at_once(response, cycle)) return respond(response);
    lanes_.answers[response.source - ports_.first_core].add(
        {response.payload, protocol::access_of(*response.payload), response.lanes});
    lanes_.answering |= bit(response.source);
  });
  if (lanes_.answering != 0) answer_lanes();
  else banks_.block(0);
  if (ports_.coming != 0) come_up(cycle);
  if ((ports_.at_banks() & ~bursts_.sources()) != 0) serve();
  if ((ports_.held & ports_.room_made) != 0) take_held();
  wake_at(std::min(bursts_.plan(cycle), lanes_.answering != 0 ? cycle + 1 : responses_.next(cycle)));
}

/// The head is done.
template <class WordBanks>
SPICA_HOT_INLINE void BasicSharedMemory<WordBanks>::finish(unsigned source) {
  Port& port = ports_[source];
  const Request& request = port.queue.front();
  const base::Cycle waited = now() - std::max(request.ready, port.free);
  if (ports_.is_core(source)) {
    stats_.bank_conflict_cycles += waited;
    answer(source, request, request.apart && request.direction == kRead ? request.served : 0);
    if (request.apart) --request.access->wires->accesses;
  } else {
    stats_.wide_wait_cycles += waited - request.followers;
    answer(source, request, 0);
  }
  ports_.leave(source, now());
  if (__builtin_expect(((lanes_.apart | lanes_.mixed) & bit(source)) == 0, 1)) return;
  if ((lanes_.apart & bit(source)) != 0) finish_apart(source);
  else serve_mixed(source);
}

template <class WordBanks>
void BasicSharedMemory<WordBanks>::serve() {
  if ((lanes_.coming_behind & ports_.at_banks()) != 0) come_up_behind();
  cycle_.begin();
  banks_.begin();
  const bool lanes_wait = lanes_.apart == 0 ? serve_all<false>() : serve_all<true>();
  for (Sources rest = cycle_.done; rest != 0;) {
    const unsigned source = pop_lowest(rest);
    Request& request = ports_.head(source);
    if (--request.beats == 0) {
      finish(source);
    } else {
      request.offset += request.bytes;
      request.banks = map_.span(request.offset, request.bytes);
    }
  }
  const unsigned activity = cycle_.conflict ? SharedMemoryStats::kBankConflict
                            : lanes_wait    ? SharedMemoryStats::kSerialising
                                            : SharedMemoryStats::kServing;
  stats_.activity.charge_cycle(activity,
                               bursts_.any() ? SharedMemoryStats::kServing : SharedMemoryStats::kIdle, now());
}

/// Stores before loads: the banks are write-first. `kApart`: there are lanes_.apart. True: lanes wait whose turn it was.
template <class WordBanks>
template <bool kApart>
bool BasicSharedMemory<WordBanks>::serve_all() {
  Sources heads[2], unaligned[2];
  const Sources others = ports_.at_banks() & ~bursts_.sources() & ~lanes_.apart;
  for (const Direction direction : {kRead, kWrite}) {
    heads[direction] = ports_.before_banks[direction] & others & ~ports_.unaligned_only;
    unaligned[direction] = ports_.before_banks[direction] & ports_.unaligned_heads;
    if (kApart) {
      heads[direction] |= lanes_.open_aligned[direction];
      unaligned[direction] = (unaligned[direction] & ~lanes_.apart) | lanes_.open_unaligned[direction];
    }
    unaligned[direction] >>= ports_.first_core;
  }
  if (unaligned[kRead] != 0 && unaligned[kWrite] != 0 && params_.unaligned_joins_directions &&
      unaligned_[kRead].serialised())
    choose_direction(unaligned);
  if ((heads[kWrite] | unaligned[kWrite]) != 0)
    serve_network<kApart>(kWrite, heads[kWrite], unaligned[kWrite]);
  if ((heads[kRead] | unaligned[kRead]) != 0) serve_network<kApart>(kRead, heads[kRead], unaligned[kRead]);
  bool lanes_wait = others != cycle_.done || (lanes_.apart & ~cycle_.changed) != 0;
  for (Sources rest = cycle_.changed; rest != 0;) {
    const unsigned source = pop_lowest(rest);
    if (kApart && (lanes_.apart & bit(source)) != 0) lanes_wait |= end_of_open_cycle(source);
    else end_of_cycle(source);
  }
  return lanes_wait;
}

/// One path for both directions: only the core whose turn it is stays in the running.
template <class WordBanks>
void BasicSharedMemory<WordBanks>::choose_direction(Sources unaligned[2]) {
  const auto lanes_of = [this](unsigned core) {
    return unaligned_lanes(ports_.first_core + core, kRead) |
           unaligned_lanes(ports_.first_core + core, kWrite);
  };
  const unsigned turn = unaligned_[kRead].pick_core(unaligned[kRead] | unaligned[kWrite], lanes_of);
  const std::uint32_t lanes = unaligned_[kRead].pick_lanes(turn, lanes_of(turn));
  const bool reads = (lanes & unaligned_lanes(ports_.first_core + turn, kRead)) != 0;
  unaligned[kRead] = reads ? bit(turn) : 0;
  unaligned[kWrite] = reads ? 0 : bit(turn);
}

/// serve_aligned() in all banks. Nearly always it is a row whose banks are free, or all that it wants is taken.
template <class WordBanks>
SPICA_HOT_INLINE void BasicSharedMemory<WordBanks>::serve_head(Request& request) {
  const WordBanks taken_here = banks_.taken_for(request);
  if (request.contiguous && (request.banks & taken_here) == 0) banks_.serve_row(request);
  else if ((request.banks & ~taken_here) != 0) banks_.serve_aligned(request, ~WordBanks{0});
}

/// One direction: the sources the banks have chosen, then all in the order of their index,
/// then unaligned lanes of `cores`.
template <class WordBanks>
template <bool kApart>
inline void BasicSharedMemory<WordBanks>::serve_network(Direction direction, Sources heads, Sources cores) {
  if (params_.arbitration == Arbitration::kRoundRobinUniform) serve_chosen(direction, heads);
  for (Sources rest = heads; rest != 0;) {
    const unsigned source = pop_lowest(rest);
    if (kApart && (lanes_.apart & bit(source)) != 0) {
      const WordBanks& left = lanes_.open[source - ports_.first_core].banks[direction];
      if ((left & ~banks_.taken(direction)) != 0) serve_open(source, direction, ~WordBanks{0});
      cycle_.conflict |= left != 0;
      continue;
    }
    Request& request = ports_.head(source);
    if (request.banks != 0) {
      if (ports_.is_core(source)) serve_head(request);
      else serve_wide(source, request);
    }
    if (request.done()) {
      cycle_.done |= bit(source);
    } else {
      if (request.banks != 0) cycle_.conflict = true;
      else ports_.unaligned_only |= bit(source);
      if (ports_.is_core(source) && request.apart && request.served != 0) cycle_.changed |= bit(source);
    }
  }
  if (cores != 0) serve_unaligned(direction, cores);
}

/// v2: every bank offers all its words to one source; what that leaves free goes by index.
template <class WordBanks>
void BasicSharedMemory<WordBanks>::serve_chosen(Direction direction, Sources heads) {
  std::array<Sources, std::min<std::size_t>(kMaxBanks, kMostWordBanks<WordBanks> / kFewestWords)> wanted{};
  for (Sources rest = heads; rest != 0;) {
    const unsigned source = pop_lowest(rest);
    for (WordBanks banks = wanted_by(source, direction); banks != 0;) {
      const unsigned bank = map_.bank_of_index(lowest_bank(banks));
      banks &= ~map_.bank_words(bank);
      wanted[bank] |= bit(source);
    }
  }
  for (unsigned bank = 0; bank < params_.banks; ++bank) {
    if (wanted[bank] == 0) continue;
    const unsigned source = chosen_[direction][bank].pick(wanted[bank]);
    if ((lanes_.apart & bit(source)) != 0) serve_open(source, direction, map_.bank_words(bank));
    else if (ports_.is_core(source)) banks_.serve_aligned(ports_.head(source), map_.bank_words(bank));
    else serve_wide(source, ports_.head(source));
  }
}

template class BasicSharedMemory<std::uint64_t>;
template class BasicSharedMemory<BankSet<4>>;
template class BasicSharedMemory<BankSet<32>>;

}  // namespace spica::shared_memory
