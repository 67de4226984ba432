// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/check/sync_paths.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <utility>

#include "models/isa/stacks.h"

namespace spica::check {

namespace {

using isa::Opcode;
using isa::Unit;

/// Instructions of the longest way round, and looked at for all ways together.
constexpr std::size_t kLongestWay = 128, kSteps = 16384;
/// Instructions of the longest way to a fence, and between a fence and its barrier: the compiler computes there.
constexpr std::size_t kToFence = 24, kToBarrier = 4;
/// Rounds in which what an instruction computes from constants gets everywhere.
constexpr unsigned kRounds = 8;
constexpr std::size_t kNowhere = ~std::size_t{0};

bool moves_data(const isa::Instruction& i) {
  return i.unit == Unit::kLoad || i.unit == Unit::kStore || i.unit == Unit::kAtomic ||
         i.unit == Unit::kTensor || i.unit == Unit::kAsync;
}

/// The successors of an instruction: none, one or two places.
std::array<std::size_t, 2> successors(const Instructions& all, std::size_t at) {
  const isa::Instruction& i = all[at];
  if (i.unit != Unit::kBranch) return {at + 1, kNowhere};
  const std::size_t target = at + static_cast<std::size_t>(static_cast<std::ptrdiff_t>(i.imm) / 4);
  if (i.opcode == Opcode::kJal) return {i.writes() == 0 ? target : kNowhere, kNowhere};  // or a call
  return {i.opcode == Opcode::kJalr ? kNowhere : at + 1, i.opcode == Opcode::kJalr ? kNowhere : target};
}

/// Ways from a load back to it, one after the other.
class WaysRound {
 public:
  /// `peeled`: the load may also be the first of the word, in front of the one that waits.
  WaysRound(const Instructions& all, std::size_t load, bool peeled)
      : all_(all), load_(load), peeled_(peeled) {}

  bool any_waits(std::size_t at) {
    const std::size_t length = way_.size();
    bool waits_here = false;
    for (;;) {
      if (at == load_ && !way_.empty()) {
        waits_here = changes_nothing() && value_decides();
        break;
      }
      if (at >= all_.size() || way_.size() == kLongestWay || steps_ == kSteps || ends(at) ||
          std::find(way_.begin(), way_.end(), at) != way_.end())
        break;
      if (peeled_ && at != load_ && is_again(at) && waits(at) && value_decides()) {
        waits_here = true;
        break;
      }
      ++steps_;
      way_.push_back(at);
      const auto [next, other] = successors(all_, at);
      if (other != kNowhere && any_waits(other)) {
        waits_here = true;
        break;
      }
      at = next;
    }
    way_.resize(length);
    return waits_here;
  }

 private:
  /// The way loads the word once more.
  bool is_again(std::size_t at) const {
    if (!is_same_word(all_[at], all_[load_])) return false;
    return std::none_of(way_.begin(), way_.end(),
                        [&](std::size_t i) { return (all_[i].writes() & all_[load_].reads) != 0; });
  }
  bool waits(std::size_t other) {
    const auto [found, fresh] = others_.try_emplace(other, false);
    if (fresh) found->second = WaysRound(all_, other, false).any_waits(other);
    return found->second;
  }

  /// A way that waits does not come here.
  bool ends(std::size_t at) const {
    const isa::Instruction& i = all_[at];
    return i.unit == Unit::kAtomic || i.unit == Unit::kSystem || i.unit == Unit::kTensor ||
           i.unit == Unit::kAsync || i.opcode == Opcode::kBar || i.opcode == Opcode::kWspawn ||
           (i.unit == Unit::kStore && !is_on_stack(all_, at));
  }

  /// A bit for each word of the stack that the way names; 0: of another access, or one too many.
  std::uint64_t slot(std::size_t at) {
    const isa::Instruction& i = all_[at];
    if ((i.unit != Unit::kLoad && i.unit != Unit::kStore) || !is_on_stack(all_, at)) return 0;
    const std::pair<unsigned, std::int32_t> name{i.rs1, i.imm};
    const auto number =
        static_cast<std::size_t>(std::find(slots_.begin(), slots_.end(), name) - slots_.begin());
    if (number == slots_.size()) slots_.push_back(name);
    return number < 64 ? std::uint64_t{1} << number : 0;
  }

  /// Registers and words of the stack have in each round the value of the round before, as long as loads bring the
  /// same.
  bool changes_nothing() {
    std::uint64_t same = ~std::uint64_t{0}, same_slots = same;
    for (const std::size_t at : way_) {
      same &= ~all_[at].writes();
      if (all_[at].unit == Unit::kStore) same_slots &= ~slot(at);
    }
    bool all_same = false;
    for (unsigned round = 0; round < kRounds && !all_same; ++round) {
      all_same = true;
      for (const std::size_t at : way_) {
        const isa::Instruction& i = all_[at];
        const std::uint64_t word = slot(at);
        bool again = (i.reads & ~same) == 0;
        if (i.unit == Unit::kStore) {
          same_slots = again ? same_slots | word : same_slots & ~word;
        } else {
          if (is_on_stack(all_, at) && i.unit == Unit::kLoad) again &= (word & same_slots) != 0;
          same = again ? same | i.writes() : same & ~i.writes();
        }
        all_same &= again;
      }
    }
    return all_same;
  }

  bool value_decides() {
    std::uint64_t value = all_[load_].writes(), value_slots = 0;
    for (const std::size_t at : way_) {
      const isa::Instruction& i = all_[at];
      if (at == load_) continue;
      const std::uint64_t word = slot(at);
      if (i.unit == Unit::kStore) {
        value_slots = (i.reads & value) != 0 ? value_slots | word : value_slots & ~word;
        continue;
      }
      const bool has = (i.reads & value) != 0 || (word & value_slots) != 0;
      if (i.unit == Unit::kBranch && has) return true;
      value = has ? value | i.writes() : value & ~i.writes();
    }
    return false;
  }

  const Instructions& all_;
  const std::size_t load_;
  const bool peeled_;
  std::map<std::size_t, bool> others_;  // loads of the word: whether they wait
  std::vector<std::size_t> way_;
  std::vector<std::pair<unsigned, std::int32_t>> slots_;  // of the stack: register and offset
  std::size_t steps_ = 0;
};

}  // namespace

bool is_on_stack(const Instructions& all, std::size_t at) {
  if (all[at].rs1 == isa::kStackPointer) return true;
  if (all[at].rs1 != isa::kFramePointer) return false;
  while (at-- > 0) {
    const isa::Instruction& i = all[at];
    if (i.rd != isa::kFramePointer || (i.unit == Unit::kLoad && i.rs1 == isa::kStackPointer)) continue;
    return i.opcode == Opcode::kAddi && i.rs1 == isa::kStackPointer;
  }
  return false;
}

bool is_same_word(const isa::Instruction& load, const isa::Instruction& other) {
  return load.unit == Unit::kLoad && load.rs1 == other.rs1 && load.imm == other.imm &&
         load.access_bytes == other.access_bytes;
}

bool barrier_follows(const Instructions& all, std::size_t fence) {
  for (std::size_t i = fence + 1; i < all.size() && i <= fence + kToBarrier; ++i)
    if (all[i].opcode == Opcode::kBar) return true;
  return false;
}

bool waits_on_a_way_round(const Instructions& all, std::size_t load) {
  if (all[load].writes() == 0 || is_on_stack(all, load)) return false;
  return WaysRound(all, load, true).any_waits(load);
}

bool fence_follows(const Instructions& all, std::size_t load) {
  std::vector<std::size_t> reached{load};
  std::uint64_t written = 0;  // by all of them: is_same_word() asks for registers that stay
  for (std::size_t next = 0; next < reached.size() && reached.size() < kToFence; ++next) {
    const std::size_t at = reached[next];
    const isa::Instruction& i = all[at];
    if (at != load) {
      if (i.unit == Unit::kFence && !barrier_follows(all, at)) return true;
      if (i.unit == Unit::kFence || i.unit == Unit::kSystem || i.opcode == Opcode::kBar ||
          i.opcode == Opcode::kWspawn)
        continue;
      const bool again = is_same_word(i, all[load]) && (all[load].reads & written) == 0;
      if (moves_data(i) && !again && !is_on_stack(all, at)) continue;
    }
    written |= i.writes();
    for (const std::size_t to : successors(all, at))
      if (to < all.size() && std::find(reached.begin(), reached.end(), to) == reached.end())
        reached.push_back(to);
  }
  return false;
}

}  // namespace spica::check
