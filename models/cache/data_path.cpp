// SPDX-License-Identifier: Apache-2.0
#include "models/cache/data_path.h"

#include <cstring>

namespace spica::cache {

using protocol::Atomic;

bool DataPath::change(protocol::Payload& payload, const protocol::RequestInfo& info) {
  if (info.atomic != Atomic::kNone) return atomic(payload, info);
  if (!payload.is_write()) return true;
  const bool moved = write(payload);
  reservations_->stored(info.origin, payload.get_address(), payload.get_data_length());
  return moved;
}

bool DataPath::write(const protocol::Payload& payload) {
  const std::uint64_t address = payload.get_address();
  const unsigned bytes = payload.get_data_length();
  const unsigned char* data = payload.get_data_ptr();
  const unsigned char* enables = payload.get_byte_enable_ptr();
  if (reservations_->size() != 0) reservations_->store(address, bytes);
  if (enables == nullptr) return memory_.write(address, data, bytes);

  const unsigned period = payload.get_byte_enable_length();
  constexpr unsigned kPart = 32;  // a fixed size is worth vectors
  unsigned char merged[4 * kPart];
  if (bytes <= sizeof merged && bytes % kPart == 0 && period == bytes &&
      memory_.read(address, merged, bytes)) {
    for (unsigned first = 0; first < bytes; first += kPart)
      for (unsigned i = first; i < first + kPart; ++i) merged[i] = enables[i] != 0 ? data[i] : merged[i];
    return memory_.write(address, merged, bytes);
  }
  bool moved = true;
  for (unsigned i = 0; i < bytes; ++i)
    if (enables[i % period] != 0) moved = memory_.write(address + i, data + i, 1) && moved;
  return moved;
}

bool DataPath::atomic(protocol::Payload& payload, const protocol::RequestInfo& info) {
  const std::uint64_t address = payload.get_address();
  std::uint32_t operand = 0, old = 0;
  std::memcpy(&operand, payload.get_data_ptr(), 4);
  unsigned char word[4];
  if (!memory_.read(address, word, 4)) return false;
  std::memcpy(&old, word, 4);

  // The request of one lane: its bit names it.
  const auto lane = info.origin.lanes != 0 ? static_cast<unsigned>(__builtin_ctz(info.origin.lanes)) : 0;
  const Reservations::Effect effect =
      reservations_->perform(info.atomic, Reservations::holder(info.origin, lane), address, old, operand);
  std::memcpy(payload.get_data_ptr(), &effect.answer, 4);
  if (!effect.stores) return true;
  std::memcpy(word, &effect.stored, 4);
  const bool moved = memory_.write(address, word, 4);
  reservations_->stored(info.origin, address, 4);
  return moved;
}

}  // namespace spica::cache
