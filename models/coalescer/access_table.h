// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "models/coalescer/coalescer_params.h"
#include "models/protocol/payload/payload_pool.h"

namespace spica::coalescer {

/// Warp accesses in progress, and the access to which each request in flight belongs. An access with a single request
/// has no entry: the tag of the request identifies it.
class AccessTable {
 public:
  static constexpr unsigned kNone = ~0u;

  struct Access {
    protocol::WarpPayload* payload = nullptr;
    std::uint32_t parts = 0;  // requests in flight
    bool sent = false;  // all its requests have been sent
    bool row = false;  // see LaneGroups::is_row()
  };
  /// The access to which an answered request belongs.
  struct Answered {
    protocol::WarpPayload* payload;
    bool row;
    bool done;  // it was the last request
    bool whole;  // it was the only request, for all lanes of the warp
  };

  /// Each request in flight belongs to one access, and the access being sent may have none yet.
  static std::size_t most(const Params& params) {
    return params.line_ids + params.lanes * params.lane_ids + 1;
  }

  explicit AccessTable(const Params& params) : accesses_(most(params)) {
    free_.reserve(accesses_.size());
    clear();
  }

  /// Adds an access.
  unsigned begin(protocol::WarpPayload& payload, bool row) {
    const unsigned slot = free_.back();
    free_.pop_back();
    accesses_[slot] = {&payload, 0, false, row};
    return slot;
  }
  Access& operator[](unsigned slot) { return accesses_[slot]; }
  const Access& operator[](unsigned slot) const { return accesses_[slot]; }
  /// The tag of another request of an access.
  std::uint64_t add_part(unsigned slot) {
    ++accesses_[slot].parts;
    return std::uint64_t{slot} << 1;
  }
  /// The tag of the only request of a row.
  static std::uint64_t whole(const protocol::WarpPayload& payload) {
    return reinterpret_cast<std::uintptr_t>(&payload) | kWhole;
  }
  /// All its requests have been sent. True: it is complete.
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
  /// For checkpoints: a tag with the number of an object instead of an address.
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
  static constexpr std::uint64_t kWhole = 1;  // bit in a tag: the rest is an address, not twice an index

  std::vector<Access> accesses_;
  std::vector<unsigned> free_;
};

}  // namespace spica::coalescer
