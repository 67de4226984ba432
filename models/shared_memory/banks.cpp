// SPDX-License-Identifier: Apache-2.0
#include "models/shared_memory/banks.h"

#include <array>

namespace spica::shared_memory {

template <class WordBanks>
void BasicBanks<WordBanks>::serve_wide(Request& request, base::Counter& words) {
  if (request.banks == 0 || (taken_[request.direction] & request.banks) != 0) return;
  taken_[request.direction] |= request.banks;
  request.banks = 0;
  cells_.perform(*request.payload, request.skipped(), request.offset, request.bytes);
  words += request.words;
  *stats_.bank[map_.bank(request.offset)].words[request.direction] += request.words;
}

template <class WordBanks>
void BasicBanks<WordBanks>::serve_aligned(Request& request, WordBanks within) {
  const WordBanks free = within & ~taken_for(request);
  if ((request.banks & free) == 0) return;
  if (request.contiguous && (request.banks & ~free) == 0) return serve_row(request);
  request.contiguous = false;
  if (together_ && request.degree == 1 && request.atomic == protocol::Atomic::kNone &&
      (request.banks & ~free) == 0)
    return serve_together(request);
  const Served served = serve_lanes(request, request.aligned, within);
  request.aligned &= ~served.lanes;
  request.served |= served.lanes;
  request.banks = served.left;
}

template <class WordBanks>
void BasicBanks<WordBanks>::serve_row(Request& request) {
  taken_[request.direction] |= request.banks;
  cells_.move_row(*request.access, request.direction == kWrite, request.offset, lanes_);
  *stats_.core.words[request.direction] += lanes_;
  *stats_.bank[map_.bank(request.offset)].words[request.direction] += lanes_;
  request.served = request.aligned;
  request.aligned = 0;
  request.banks = 0;
}

/// With `broadcast` and one bank: an access without conflicts, at once.
template <class WordBanks>
void BasicBanks<WordBanks>::serve_together(Request& request) {
  taken_[request.direction] |= request.banks;
  protocol::WarpAccess& access = *request.access;
  if (access.bytes == 4) {
    if (request.direction == kRead) cells_.load_words(access, request.aligned, base_);
    else cells_.store_words(access, request.aligned, base_);
  } else {
    for (std::uint32_t rest = request.aligned; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<unsigned>(__builtin_ctz(rest));
      cells_.move_lane(access, lane, request.direction == kWrite, access.address[lane] - base_);
    }
  }
  const auto words = bank_count(request.banks);
  *stats_.core.words[request.direction] += words;
  *stats_.bank[0].words[request.direction] += words;
  request.served |= request.aligned;
  request.aligned = 0;
  request.banks = 0;
}

template <class WordBanks>
typename BasicBanks<WordBanks>::Served BasicBanks<WordBanks>::serve_lanes(const Request& request,
                                                                          std::uint32_t lanes,
                                                                          WordBanks within) {
  const WordBanks before = within & ~taken_for(request);
  WordBanks free = before;
  Served served{0, 0};
  std::uint64_t words = 0;
  const bool shares = broadcast_ && request.atomic == protocol::Atomic::kNone;
  std::array<std::uint32_t, kMostWordBanks<WordBanks>> word;  // by bank that it takes, with `broadcast`
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

template <class WordBanks>
void BasicBanks<WordBanks>::perform_atomic(const Request& request, unsigned lane, std::uint32_t offset,
                                           unsigned bank) {
  ++stats_.atomics;
  if (!cells_.perform_atomic(protocol::info_of(*request.payload), *request.access, lane, offset)) return;
  ++*stats_.core.words[kWrite];
  ++*stats_.bank[bank].words[kWrite];
}

template class BasicBanks<std::uint64_t>;
template class BasicBanks<BankSet<4>>;
template class BasicBanks<BankSet<32>>;

}  // namespace spica::shared_memory
