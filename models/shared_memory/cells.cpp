// SPDX-License-Identifier: Apache-2.0
#include "models/shared_memory/cells.h"

#include <algorithm>
#include <cstring>

namespace spica::shared_memory {

namespace {

/// The fixed size of the common row spares a call.
void copy(unsigned char* to, const unsigned char* from, std::size_t bytes) {
  if (bytes == 32) std::memcpy(to, from, 32);
  else std::memcpy(to, from, bytes);
}

}  // namespace

void Cells::move(protocol::Payload& payload, unsigned skipped, std::uint32_t offset, unsigned bytes) {
  unsigned char* const data = payload.get_data_ptr() + skipped;
  unsigned char* const stored = &bytes_[offset];
  const unsigned char* const enables = payload.get_byte_enable_ptr();
  if (enables == nullptr) {
    if (payload.is_read()) copy(data, stored, bytes);
    if (payload.is_write()) copy(stored, data, bytes);
    return;
  }
  for (unsigned i = 0; i < bytes; ++i) {
    if (enables[(skipped + i) % payload.get_byte_enable_length()] == 0) continue;
    if (payload.is_read()) data[i] = stored[i];
    if (payload.is_write()) stored[i] = data[i];
  }
}

void Cells::move_row(protocol::WarpAccess& access, bool write, std::uint32_t offset, unsigned lanes) {
  unsigned char* const stored = &bytes_[offset];
  auto* const data = reinterpret_cast<unsigned char*>(access.data.data());
  if (!write) return copy(data, stored, 4 * lanes);
  copy(stored, data, 4 * lanes);
  reservations_.store(offset, 4 * lanes);
}

void Cells::load_words(protocol::WarpAccess& access, std::uint32_t lanes, std::uint32_t base) const {
  const unsigned char* const stored = bytes_.data();
  const auto load = [&](unsigned lane) {
    std::memcpy(&access.data[lane], stored + (access.address[lane] - base), 4);
  };
  if (lanes == ~0u) {
    for (unsigned lane = 0; lane < protocol::kMaxLanes; ++lane) load(lane);
    return;
  }
  for (; lanes != 0; lanes &= lanes - 1) load(static_cast<unsigned>(__builtin_ctz(lanes)));
}

void Cells::store_words(const protocol::WarpAccess& access, std::uint32_t lanes, std::uint32_t base) {
  unsigned char* const stored = bytes_.data();
  const bool reserved = reservations_.size() != 0;
  for (; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(lanes));
    const std::uint32_t offset = access.address[lane] - base;
    std::memcpy(stored + offset, &access.data[lane], 4);
    if (reserved) reservations_.store(offset, 4);
  }
}

void Cells::move_lane(protocol::WarpAccess& access, unsigned lane, bool write, std::uint32_t offset) {
  const unsigned bytes = access.bytes;
  std::uint32_t& data = access.data[lane];
  unsigned char* const stored = &bytes_[offset];
  if (write) {
    std::memcpy(stored, &data, bytes);
    reservations_.store(offset, bytes);
    return;
  }
  if (bytes == 4) {  // a fixed size spares the call
    std::memcpy(&data, stored, 4);
    return;
  }
  data = 0;
  std::memcpy(&data, stored, bytes);
}

bool Cells::perform_atomic(const protocol::RequestInfo& info, protocol::WarpAccess& access, unsigned lane,
                           std::uint32_t offset) {
  std::uint32_t& data = access.data[lane];
  unsigned char* const stored = &bytes_[offset];
  std::uint32_t old = 0;
  std::memcpy(&old, stored, sizeof old);
  const protocol::Reservations::Effect effect = reservations_.perform(
      info.atomic, protocol::Reservations::holder(info.origin, lane), offset, old, data);
  data = effect.answer;
  if (effect.stores) std::memcpy(stored, &effect.stored, sizeof effect.stored);
  return effect.stores;
}

void Cells::clear() {
  std::fill(bytes_.begin(), bytes_.end(), static_cast<unsigned char>(0));
  reservations_.clear();
}

}  // namespace spica::shared_memory
