// SPDX-License-Identifier: Apache-2.0
#include "models/shared_memory/atomic_unit.h"

#include <algorithm>

namespace spica::shared_memory {

namespace {

std::uint32_t combine(protocol::Atomic op, std::uint32_t old, std::uint32_t operand) {
  using protocol::Atomic;
  const auto signed_old = static_cast<std::int32_t>(old);
  const auto signed_operand = static_cast<std::int32_t>(operand);
  switch (op) {
    case Atomic::kAdd:
      return old + operand;
    case Atomic::kSwap:
      return operand;
    case Atomic::kXor:
      return old ^ operand;
    case Atomic::kOr:
      return old | operand;
    case Atomic::kAnd:
      return old & operand;
    case Atomic::kMin:
      return signed_operand < signed_old ? operand : old;
    case Atomic::kMax:
      return signed_operand > signed_old ? operand : old;
    case Atomic::kMinUnsigned:
      return std::min(old, operand);
    case Atomic::kMaxUnsigned:
      return std::max(old, operand);
    case Atomic::kLoadReserved:
    case Atomic::kStoreConditional:
    case Atomic::kNone:
      break;
  }
  return old;
}

}  // namespace

AtomicUnit::Result AtomicUnit::execute(protocol::Atomic op, std::uint32_t hart, std::uint32_t word,
                                       std::uint32_t old, std::uint32_t operand) {
  if (op == protocol::Atomic::kLoadReserved) {
    end_of(hart);
    reservations_.push_back({hart, word});
    return {old, old, false};
  }
  if (op == protocol::Atomic::kStoreConditional) {
    const bool success = holds(hart, word);
    end_of(hart);
    if (!success) return {1, old, false};
    stored(word, 4);
    return {0, operand, true};
  }
  stored(word, 4);
  return {old, combine(op, old, operand), true};
}

bool AtomicUnit::holds(std::uint32_t hart, std::uint32_t word) const {
  return std::any_of(reservations_.begin(), reservations_.end(),
                     [&](const Reservation& r) { return r.hart == hart && r.word == word; });
}

void AtomicUnit::end(std::uint32_t offset, std::uint32_t bytes) {
  const auto touched = [&](const Reservation& r) {
    return r.word < offset + bytes && offset < r.word + 4;
  };
  reservations_.erase(std::remove_if(reservations_.begin(), reservations_.end(), touched),
                      reservations_.end());
}

void AtomicUnit::end_of(std::uint32_t hart) {
  const auto own = [&](const Reservation& r) { return r.hart == hart; };
  reservations_.erase(std::remove_if(reservations_.begin(), reservations_.end(), own),
                      reservations_.end());
}

}  // namespace spica::shared_memory
