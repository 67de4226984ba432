// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

namespace spica::protocol {

/// Atomic operations of a memory; the values are those of the RISC-V funct5 field. The command of such a request is
/// READ. Its data holds the operand, which the old value replaces; a store-conditional returns 0 if it stored and 1 if
/// it failed.
enum class Atomic : std::uint8_t {
  kAdd = 0x00,
  kSwap = 0x01,
  kLoadReserved = 0x02,
  kStoreConditional = 0x03,
  kXor = 0x04,
  kOr = 0x08,
  kAnd = 0x0C,
  kMin = 0x10,
  kMax = 0x14,
  kMinUnsigned = 0x18,
  kMaxUnsigned = 0x1C,
  kNone = 0xFF,
};

/// The value that `operation` leaves in a word that held `old` (RISC-V A extension). A successful store-conditional
/// leaves the operand; a load-reserved and kNone leave the word unchanged.
inline std::uint32_t atomic_result(Atomic operation, std::uint32_t old, std::uint32_t operand) {
  const auto signed_old = static_cast<std::int32_t>(old);
  const auto signed_operand = static_cast<std::int32_t>(operand);
  switch (operation) {
    case Atomic::kAdd: return old + operand;
    case Atomic::kSwap:
    case Atomic::kStoreConditional: return operand;
    case Atomic::kXor: return old ^ operand;
    case Atomic::kOr: return old | operand;
    case Atomic::kAnd: return old & operand;
    case Atomic::kMin: return signed_operand < signed_old ? operand : old;
    case Atomic::kMax: return signed_operand > signed_old ? operand : old;
    case Atomic::kMinUnsigned: return std::min(old, operand);
    case Atomic::kMaxUnsigned: return std::max(old, operand);
    case Atomic::kLoadReserved:
    case Atomic::kNone: break;
  }
  return old;
}

}  // namespace spica::protocol
