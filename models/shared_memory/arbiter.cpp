// SPDX-License-Identifier: Apache-2.0
#include "models/shared_memory/arbiter.h"

#include <algorithm>
#include <array>

#include "models/base/hot_inline.h"

namespace spica::shared_memory {

template <class WordBanks>
unsigned BasicArbiter<WordBanks>::serve(Sources streaming, base::Cycle now) {
  lanes_.come_up(now);
  cycle_.begin();
  banks_.begin();
  const bool lanes_wait =
      lanes_.open() == 0 ? serve_all<false>(streaming, now) : serve_all<true>(streaming, now);
  return cycle_.conflict ? SharedMemoryStats::kBankConflict
         : lanes_wait    ? SharedMemoryStats::kSerialising
                         : SharedMemoryStats::kServing;
}

/// Stores before loads: the banks are write-first. `kOpen`: there are open ports. True: lanes wait whose turn it was.
template <class WordBanks>
template <bool kOpen>
bool BasicArbiter<WordBanks>::serve_all(Sources streaming, base::Cycle now) {
  Sources heads[2], unaligned[2];
  const Sources others = ports_.at_banks() & ~streaming & ~lanes_.open();
  for (const Direction direction : {kRead, kWrite}) {
    heads[direction] = ports_.before_banks[direction] & others & ~ports_.unaligned_only;
    unaligned[direction] = ports_.before_banks[direction] & ports_.unaligned_heads;
    if (kOpen) {
      heads[direction] |= lanes_.aligned(direction);
      unaligned[direction] = (unaligned[direction] & ~lanes_.open()) | lanes_.unaligned(direction);
    }
    unaligned[direction] >>= ports_.first_core;
  }
  if (unaligned[kRead] != 0 && unaligned[kWrite] != 0 && params_.unaligned_joins_directions &&
      unaligned_[kRead].serialised())
    choose_direction(unaligned);
  if ((heads[kWrite] | unaligned[kWrite]) != 0)
    serve_network<kOpen>(kWrite, heads[kWrite], unaligned[kWrite]);
  if ((heads[kRead] | unaligned[kRead]) != 0) serve_network<kOpen>(kRead, heads[kRead], unaligned[kRead]);
  bool lanes_wait = others != cycle_.done || (lanes_.open() & ~cycle_.changed) != 0;
  for (Sources rest = cycle_.changed; rest != 0;) {
    const unsigned source = pop_lowest(rest);
    if (kOpen && lanes_.is_open(source)) lanes_wait |= lanes_.end_cycle(source, now, cycle_);
    else lanes_.end_head_cycle(source, now);
  }
  return lanes_wait;
}

/// One path for both directions: only the core whose turn it is stays in the running.
template <class WordBanks>
void BasicArbiter<WordBanks>::choose_direction(Sources unaligned[2]) const {
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
SPICA_HOT_INLINE void BasicArbiter<WordBanks>::serve_head(Request& request) {
  const WordBanks taken_here = banks_.taken_for(request);
  if (request.contiguous && (request.banks & taken_here) == 0) banks_.serve_row(request);
  else if ((request.banks & ~taken_here) != 0) banks_.serve_aligned(request, ~WordBanks{0});
}

/// One direction: the sources the banks have chosen, then all in the order of their index,
/// then unaligned lanes of `cores`.
template <class WordBanks>
template <bool kOpen>
inline void BasicArbiter<WordBanks>::serve_network(Direction direction, Sources heads, Sources cores) {
  if (params_.arbitration == Arbitration::kRoundRobinUniform) serve_chosen(direction, heads);
  for (Sources rest = heads; rest != 0;) {
    const unsigned source = pop_lowest(rest);
    if (kOpen && lanes_.is_open(source)) {
      const WordBanks& left = lanes_.wanted(source, direction);
      if ((left & ~banks_.taken(direction)) != 0)
        lanes_.serve_aligned(source, direction, ~WordBanks{0}, cycle_);
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
      if (ports_.is_core(source) && request.independent && request.served != 0) cycle_.changed |= bit(source);
    }
  }
  if (cores != 0) serve_unaligned(direction, cores);
}

/// v2: every bank offers all its words to one source; what that leaves free goes by index.
template <class WordBanks>
void BasicArbiter<WordBanks>::serve_chosen(Direction direction, Sources heads) {
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
    if (lanes_.is_open(source)) lanes_.serve_aligned(source, direction, map_.bank_words(bank), cycle_);
    else if (ports_.is_core(source)) banks_.serve_aligned(ports_.head(source), map_.bank_words(bank));
    else serve_wide(source, ports_.head(source));
  }
}

template <class WordBanks>
SPICA_HOT_INLINE std::uint32_t BasicArbiter<WordBanks>::serve_offered(unsigned source, std::uint32_t lanes) {
  Request& request = ports_.head(source);
  const std::uint32_t served = banks_.serve_unaligned(request, lanes);
  if (request.unaligned == 0) ports_.unaligned_heads &= ~bit(source);
  if (request.done()) {
    cycle_.done |= bit(source);
    cycle_.changed &= ~bit(source);
  } else if (request.independent && request.served != 0) {
    cycle_.changed |= bit(source);
  }
  return served;
}

/// The path offers lanes of a core to their banks. Returns which are served.
template <class WordBanks>
SPICA_HOT_INLINE std::uint32_t BasicArbiter<WordBanks>::offer(UnalignedPath& path, unsigned core,
                                                              Direction direction) {
  const unsigned source = ports_.first_core + core;
  const std::uint32_t offered = path.pick_lanes(core, unaligned_lanes(source, direction));
  const std::uint32_t served = lanes_.is_open(source)
                                   ? lanes_.serve_unaligned(source, direction, offered, cycle_)
                                   : serve_offered(source, offered);
  stats_.unaligned_requests += static_cast<unsigned>(__builtin_popcount(served));
  cycle_.conflict |= served != offered;
  return served;
}

template <class WordBanks>
void BasicArbiter<WordBanks>::serve_unaligned(Direction direction, Sources cores) {
  UnalignedPath& path = unaligned_[params_.unaligned_joins_directions ? kRead : direction];
  const unsigned first = path.pick_core(cores, [this, direction](unsigned core) {
    return unaligned_lanes(ports_.first_core + core, direction);
  });
  const std::uint32_t served = offer(path, first, direction);
  if (served != 0) path.served(first, 31 - static_cast<unsigned>(__builtin_clz(served)));
  if (path.serialised()) return;
  // The crossbar continues with the cores after it, then from the beginning.
  const Sources before = bit(first) - 1;
  for (Sources rest = cores & ~before & ~bit(first); rest != 0;) offer(path, pop_lowest(rest), direction);
  for (Sources rest = cores & before; rest != 0;) offer(path, pop_lowest(rest), direction);
}

template class BasicArbiter<std::uint64_t>;
template class BasicArbiter<BankSet<4>>;
template class BasicArbiter<BankSet<32>>;

}  // namespace spica::shared_memory
