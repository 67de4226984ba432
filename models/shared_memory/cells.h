// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "models/protocol/payload/reservations.h"
#include "models/protocol/payload/warp_access.h"

namespace spica::shared_memory {

/// The contents of a shared memory by byte offset, and their load reservations. Takes no time; all ranges must be
/// inside.
class Cells {
 public:
  explicit Cells(std::size_t bytes) : bytes_(bytes) {}

  unsigned char* data() { return bytes_.data(); }
  const unsigned char* data() const { return bytes_.data(); }
  std::size_t size() const { return bytes_.size(); }

  /// Moves the enabled ones of `bytes` bytes between `offset` and the data of `payload` after its first `skipped`
  /// bytes. Ends no reservation.
  void move(protocol::Payload& payload, unsigned skipped, std::uint32_t offset, unsigned bytes);
  /// The same for a request that takes effect: stores end reservations.
  void perform(protocol::Payload& payload, unsigned skipped, std::uint32_t offset, unsigned bytes) {
    move(payload, skipped, offset, bytes);
    if (payload.is_write()) reservations_.store(offset, bytes);
  }
  /// Loads or stores the words of the first `lanes` lanes, contiguous from `offset`.
  void move_row(protocol::WarpAccess& access, bool write, std::uint32_t offset, unsigned lanes);
  /// Loads the words of `lanes` at arbitrary addresses; an offset is an address minus `base`.
  void load_words(protocol::WarpAccess& access, std::uint32_t lanes, std::uint32_t base) const;
  /// The same for stores.
  void store_words(const protocol::WarpAccess& access, std::uint32_t lanes, std::uint32_t base);
  /// Loads (zero-extended) or stores the data of one lane at `offset`.
  void move_lane(protocol::WarpAccess& access, unsigned lane, bool write, std::uint32_t offset);
  /// Performs the atomic of one lane on the word at `offset`; true if it stored.
  bool perform_atomic(const protocol::RequestInfo& info, protocol::WarpAccess& access, unsigned lane,
                      std::uint32_t offset);
  void clear();
  /// The bytes are program-visible state, saved elsewhere.
  template <class Archive>
  void serialize(Archive& archive) {
    archive(reservations_);  // Not saved: bytes_, saved elsewhere
  }

 private:
  std::vector<unsigned char> bytes_;
  protocol::Reservations reservations_;
};

}  // namespace spica::shared_memory
