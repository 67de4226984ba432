// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "models/base/calendar.h"
#include "models/base/invariant.h"
#include "models/base/types.h"

namespace spica::cache {

/// Which of up to 32 banks are due in which of the next 63 cycles, a bit per bank. Every cycle with a bank
/// due must be visited.
class BankCalendar {
 public:
  /// `cycle` must be later than `now`.
  void add(base::Cycle now, base::Cycle cycle, unsigned bank) {
    SPICA_INVARIANT(cycle > now && cycle - now < kSlots);
    static_cast<void>(now);
    banks_[cycle % kSlots] |= std::uint32_t{1} << bank;
    cycles_ |= std::uint64_t{1} << cycle % kSlots;
  }
  /// The banks due in cycle `now`; from then on they are not.
  std::uint32_t take(base::Cycle now) {
    const std::uint32_t due = banks_[now % kSlots];
    banks_[now % kSlots] = 0;
    cycles_ &= ~(std::uint64_t{1} << now % kSlots);
    return due;
  }
  /// The next cycle after `now` with a bank due, or kNever.
  base::Cycle next(base::Cycle now) const {
    return cycles_ == 0 ? base::kNever : now + 1 + base::distance_in_ring(cycles_, now + 1);
  }
  void clear() { *this = {}; }

 private:
  static constexpr unsigned kSlots = 64;

  std::uint64_t cycles_ = 0;  // with a bank due, modulo kSlots
  std::array<std::uint32_t, kSlots> banks_{};
};

}  // namespace spica::cache
