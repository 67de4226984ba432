// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "models/protocol/request_info.h"

namespace spica::shared_memory {

/// Read-modify-write of one word at its bank, with the reservations of LR/SC.
///
/// A hart (core, warp, lane) holds at most one reservation of one word. Any store, SC or AMO to the
/// word ends every reservation of it; SC ends the hart's own in any case.
class AtomicUnit {
 public:
  /// What the bank has to do after an atomic.
  struct Result {
    std::uint32_t answer;  // old value; SC: 0 stored, 1 failed
    std::uint32_t stored;  // new value of the word
    bool store;
  };
  /// `op` on the word at byte offset `word`, whose value is `old`.
  Result execute(protocol::Atomic op, std::uint32_t hart, std::uint32_t word, std::uint32_t old,
                 std::uint32_t operand);
  /// A plain store touched `bytes` bytes at `offset`.
  void stored(std::uint32_t offset, std::uint32_t bytes) {
    if (!reservations_.empty()) end(offset, bytes);
  }
  bool holds(std::uint32_t hart, std::uint32_t word) const;
  void reset() { reservations_.clear(); }

  static std::uint32_t hart(const protocol::Origin& origin, unsigned lane) {
    return std::uint32_t{origin.core} << 16 | std::uint32_t{origin.warp} << 8 | lane;
  }

 private:
  struct Reservation {
    std::uint32_t hart, word;
  };
  void end(std::uint32_t offset, std::uint32_t bytes);
  void end_of(std::uint32_t hart);

  std::vector<Reservation> reservations_;
};

}  // namespace spica::shared_memory
