// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

namespace spica::protocol {

/// Atomic operations a memory can perform; the values are those of the RISC-V funct5 field. The command
/// of such a request is READ; the operand travels in the data and is replaced by the old value (by 0 or 1
/// for a store-conditional that did or did not take place).
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

/// What `operation` leaves in a word that held `old` (RISC-V A extension). A store-conditional that
/// takes place leaves the operand; a load-reserved and no operation leave the word as it is.
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
