// SPDX-License-Identifier: Apache-2.0
// Selects the way of a set for a new line. Policies are defined only here and in replacement.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "models/base/params.h"
#include "models/base/types.h"

namespace spica::cache {

enum class Replacement : std::uint8_t { kRotating, kLru, kRoundRobin, kRandom };
inline constexpr base::Choices kReplacements{
    base::Choice<Replacement>{"rotating", Replacement::kRotating},
    base::Choice<Replacement>{"lru", Replacement::kLru},
    base::Choice<Replacement>{"round_robin", Replacement::kRoundRobin},
    base::Choice<Replacement>{"random", Replacement::kRandom}};
/// True if the policy loses all data whose reuse distance exceeds the cache; random replacement keeps some of it.
constexpr bool forgets_in_turn(Replacement replacement) {
  return replacement == Replacement::kLru || replacement == Replacement::kRoundRobin;
}

/// A slot for a line.
struct Way {
  base::Address tag = 0;  // line + 1; 0: empty
  std::uint64_t used = 0;  // time of the last use, for the policy
};

/// The policy of one bank and its state.
class ReplacementState {
 public:
  /// `groups`: sets, or parts of sets, of `ways` ways each.
  ReplacementState(Replacement policy, std::uint64_t groups, unsigned ways)
      : policy_(policy), ways_(ways), next_(groups, 0) {}

  /// The way of a group for a new line, starting at `ways`. `turn`: a counter of cycles.
  unsigned choose(const Way* ways, std::size_t group, base::Cycle turn) const;
  /// Records a use of a line or its placement.
  void touch(Way& way) { way.used = ++clock_; }
  /// Records that a line was placed in a way of the group.
  void place(std::size_t group, unsigned way);
  void clear();

  template <class Archive>
  void serialize(Archive& archive) {
    archive(clock_, next_, random_);
  }

 private:
  unsigned oldest(const Way* ways) const;

  static constexpr std::uint32_t kSeed = 0x9E3779B9;

  std::uint64_t clock_ = 0;
  const Replacement policy_;
  const unsigned ways_;
  std::vector<std::uint32_t> next_;  // by group: round-robin pointer
  std::uint32_t random_ = kSeed;
};

}  // namespace spica::cache
