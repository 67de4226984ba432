// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "models/coalescer/coalescer_params.h"
#include "models/protocol/payload_pool.h"

namespace spica::coalescer {

/// The warp accesses that have begun and are not done, and which of them a request in flight is part of. An access
/// that is one request has no place here: the request's tag knows it.
class AccessTable {
 public:
  static constexpr unsigned kNone = ~0u;

  struct Access {
    protocol::WarpPayload* payload = nullptr;
    std::uint32_t parts = 0;  // requests in flight
    bool sent = false;  // all its requests have been sent
    bool row = false;  // see LaneGroups::is_row()
  };
  /// Whose request was answered.
  struct Answered {
    protocol::WarpPayload* payload;
    bool row;
    bool done;  // it was the last one
    bool whole;  // and the only one: the lanes of the whole warp
  };

  /// Each request in flight is part of one access, and the one being sent may have none yet.
  static std::size_t most(const Params& params) {
    return params.line_ids + params.lanes * params.lane_ids + 1;
  }

  explicit AccessTable(const Params& params) : accesses_(most(params)) {
    free_.reserve(accesses_.size());
    clear();
  }

  /// A place for another one.
  unsigned begin(protocol::WarpPayload& payload, bool row) {
    const unsigned slot = free_.back();
    free_.pop_back();
    accesses_[slot] = {&payload, 0, false, row};
    return slot;
  }
  Access& operator[](unsigned slot) { return accesses_[slot]; }
  const Access& operator[](unsigned slot) const { return accesses_[slot]; }
  /// The tag of another part of an access.
  std::uint64_t add_part(unsigned slot) {
    ++accesses_[slot].parts;
    return std::uint64_t{slot} << 1;
  }
  /// The tag of the only request of a row.
  static std::uint64_t whole(const protocol::WarpPayload& payload) {
    return reinterpret_cast<std::uintptr_t>(&payload) | kWhole;
  }
  /// All parts of it have been sent. True: it is done.
  bool close(unsigned slot) {
    accesses_[slot].sent = true;
    if (accesses_[slot].parts != 0) return false;
    free_.push_back(slot);
    return true;
  }
  Answered answer(std::uint64_t tag) {
    if ((tag & kWhole) != 0)
      return {reinterpret_cast<protocol::WarpPayload*>(tag & ~kWhole), true, true, true};
    const auto slot = static_cast<unsigned>(tag >> 1);
    Access& access = accesses_[slot];
    const bool done = --access.parts == 0 && access.sent;
    if (done) free_.push_back(slot);
    return {access.payload, access.row, done, false};
  }
  /// In a checkpoint a tag has the number of an object in place of an address.
  static std::uint64_t numbered(std::uint64_t tag, const base::Objects& objects) {
    if ((tag & kWhole) == 0) return tag;
    const auto* const warp = reinterpret_cast<protocol::WarpPayload*>(tag & ~kWhole);
    return std::uint64_t{objects.number(static_cast<const protocol::Payload*>(warp))} << 1 | kWhole;
  }
  static std::uint64_t addressed(std::uint64_t tag, const base::Objects& objects) {
    if ((tag & kWhole) == 0) return tag;
    auto* const payload = static_cast<protocol::Payload*>(objects.at(static_cast<std::uint32_t>(tag >> 1)));
    return whole(*static_cast<protocol::WarpPayload*>(payload));
  }
  void clear() {
    free_.clear();
    for (unsigned slot = 0; slot < accesses_.size(); ++slot) free_.push_back(slot);
  }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(accesses_, free_);
  }

 private:
  static constexpr std::uint64_t kWhole = 1;  // in a tag: the rest is an address, not twice a place

  std::vector<Access> accesses_;
  std::vector<unsigned> free_;
};

}  // namespace spica::coalescer
