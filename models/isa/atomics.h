// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/isa/instruction.h"

namespace spica::isa {

/// What an AMO leaves in memory. `old`: the word before, which is also the result in rd. For sc.w:
/// the operand (the caller decides whether the store takes place). For lr.w and anything else:
/// `old`.
inline std::uint32_t atomic_result(Opcode opcode, std::uint32_t old,
                                   std::uint32_t operand) noexcept {
  const auto signed_old = static_cast<std::int32_t>(old);
  const auto signed_operand = static_cast<std::int32_t>(operand);
  switch (opcode) {
    case Opcode::kAmoswapW:
    case Opcode::kScW:
      return operand;
    case Opcode::kAmoaddW:
      return old + operand;
    case Opcode::kAmoxorW:
      return old ^ operand;
    case Opcode::kAmoandW:
      return old & operand;
    case Opcode::kAmoorW:
      return old | operand;
    case Opcode::kAmominW:
      return signed_old < signed_operand ? old : operand;
    case Opcode::kAmomaxW:
      return signed_old > signed_operand ? old : operand;
    case Opcode::kAmominuW:
      return std::min(old, operand);
    case Opcode::kAmomaxuW:
      return std::max(old, operand);
    default:
      return old;
  }
}

/// Reservations of LR/SC. A hart (any number the caller gives to a hardware thread) holds at most
/// one, of one aligned word.
class ReservationSet {
 public:
  /// lr.w
  void reserve(std::uint32_t hart, std::uint32_t address) {
    drop(hart);
    entries_.push_back({hart, address & ~3u});
  }
  /// sc.w: true when the store takes place. The hart's reservation is gone either way; a store that
  /// takes place also breaks those of the others.
  bool store_conditional(std::uint32_t hart, std::uint32_t address) {
    const bool held = std::any_of(entries_.begin(), entries_.end(), [&](const Entry& entry) {
      return entry.hart == hart && entry.word == (address & ~3u);
    });
    drop(hart);
    if (held) on_store(address, 4);
    return held;
  }
  /// Any store or AMO to [address, address + bytes) breaks the reservations there.
  void on_store(std::uint32_t address, unsigned bytes) {
    if (entries_.empty()) return;
    const std::uint64_t end = std::uint64_t{address} + bytes;
    remove([&](const Entry& entry) {
      return std::uint64_t{entry.word} + 4 > address && entry.word < end;
    });
  }
  void clear() { entries_.clear(); }

 private:
  struct Entry {
    std::uint32_t hart, word;
  };
  void drop(std::uint32_t hart) {
    remove([&](const Entry& entry) { return entry.hart == hart; });
  }
  template <class Test>
  void remove(Test&& test) {
    entries_.erase(std::remove_if(entries_.begin(), entries_.end(), test), entries_.end());
  }

  std::vector<Entry> entries_;
};

}  // namespace spica::isa
