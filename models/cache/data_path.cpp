// SPDX-License-Identifier: Apache-2.0
#include "models/cache/data_path.h"

#include <algorithm>
#include <cstring>

namespace spica::cache {

using protocol::Atomic;

std::uint32_t atomic_result(Atomic operation, std::uint32_t old, std::uint32_t operand) {
  const auto signed_old = static_cast<std::int32_t>(old);
  const auto signed_operand = static_cast<std::int32_t>(operand);
  switch (operation) {
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
      return static_cast<std::uint32_t>(std::min(signed_old, signed_operand));
    case Atomic::kMax:
      return static_cast<std::uint32_t>(std::max(signed_old, signed_operand));
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

bool DataPath::change(protocol::Payload& payload, const protocol::RequestInfo& info) {
  if (info.atomic != Atomic::kNone) return atomic(payload, info);
  return payload.is_write() ? write(payload) : true;
}

bool DataPath::write(const protocol::Payload& payload) {
  const std::uint64_t address = payload.get_address();
  const unsigned bytes = payload.get_data_length();
  const unsigned char* data = payload.get_data_ptr();
  const unsigned char* enables = payload.get_byte_enable_ptr();
  if (reservations_->size() != 0) reservations_->store(address, bytes);
  if (enables == nullptr) return memory_.write(address, data, bytes);

  bool moved = true;
  const unsigned period = payload.get_byte_enable_length();
  for (unsigned i = 0; i < bytes;) {
    std::uint32_t word = 0;
    if (period == bytes && i + 4 <= bytes) std::memcpy(&word, enables + i, 4);
    if (word == 0xFFFFFFFF) {  // the usual case: whole words
      moved = memory_.write(address + i, data + i, 4) && moved;
      i += 4;
    } else {
      if (enables[i % period] != 0) moved = memory_.write(address + i, data + i, 1) && moved;
      ++i;
    }
  }
  return moved;
}

bool DataPath::atomic(protocol::Payload& payload, const protocol::RequestInfo& info) {
  const std::uint64_t address = payload.get_address();
  std::uint32_t operand = 0, old = 0;
  std::memcpy(&operand, payload.get_data_ptr(), 4);
  unsigned char word[4];
  if (!memory_.read(address, word, 4)) return false;
  std::memcpy(&old, word, 4);

  std::uint32_t answer = old;
  std::uint32_t stored = operand;
  const std::uint64_t holder = Reservations::holder(info.origin);
  switch (info.atomic) {
    case Atomic::kLoadReserved:
      reservations_->reserve(holder, address);
      break;
    case Atomic::kStoreConditional:
      answer = reservations_->claim(holder, address) ? 0 : 1;
      break;
    default:
      stored = atomic_result(info.atomic, old, operand);
      break;
  }
  const bool stores =
      info.atomic == Atomic::kStoreConditional ? answer == 0 : info.atomic != Atomic::kLoadReserved;
  std::memcpy(payload.get_data_ptr(), &answer, 4);
  if (!stores) return true;
  reservations_->store(address, 4);
  std::memcpy(word, &stored, 4);
  return memory_.write(address, word, 4);
}

}  // namespace spica::cache
