// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "models/protocol/reservations.h"
#include "models/protocol/warp_access.h"

namespace spica::shared_memory {

/// The contents of a shared memory by byte offset, and the load reservations on them. Takes no time; all ranges are
/// inside.
class Cells {
 public:
  explicit Cells(std::size_t bytes) : bytes_(bytes) {}

  unsigned char* data() { return bytes_.data(); }
  const unsigned char* data() const { return bytes_.data(); }
  std::size_t size() const { return bytes_.size(); }

  /// Moves the enabled ones of `bytes` bytes at `offset` to or from the data of `payload` behind its first `skipped`
  /// bytes. Ends no reservation.
  void move(protocol::Payload& payload, unsigned skipped, std::uint32_t offset, unsigned bytes);
  /// The same for a request that takes effect: what it stores ends reservations.
  void perform(protocol::Payload& payload, unsigned skipped, std::uint32_t offset, unsigned bytes) {
    move(payload, skipped, offset, bytes);
    if (payload.is_write()) reservations_.store(offset, bytes);
  }
  /// Loads or stores the words of the first `lanes` lanes, which are neighbours from `offset` on.
  void move_row(protocol::WarpAccess& access, bool write, std::uint32_t offset, unsigned lanes);
  /// Loads the words of `lanes`, which lie anywhere; offsets are addresses less `base`.
  void load_words(protocol::WarpAccess& access, std::uint32_t lanes, std::uint32_t base) const;
  /// The same, stored.
  void store_words(const protocol::WarpAccess& access, std::uint32_t lanes, std::uint32_t base);
  /// Loads, extended with zeros, or stores what one lane has at `offset`.
  void move_lane(protocol::WarpAccess& access, unsigned lane, bool write, std::uint32_t offset);
  /// Performs the atomic of one lane on the word at `offset`; true when it stored.
  bool perform_atomic(const protocol::RequestInfo& info, protocol::WarpAccess& access, unsigned lane,
                      std::uint32_t offset);
  void clear();
  /// The bytes are part of what programs see, and saved elsewhere.
  template <class Archive>
  void serialize(Archive& archive) {
    archive(reservations_);  // Not saved: bytes_, saved elsewhere
  }

 private:
  std::vector<unsigned char> bytes_;
  protocol::Reservations reservations_;
};

}  // namespace spica::shared_memory
