// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <utility>

#include "models/protocol/probe_if.h"
#include "platform/check/objects.h"

namespace spica::check {

/// Which object the registers of each warp point to: from the instructions that compute its address on. A value
/// that comes from memory, or from two objects, points to nothing known.
class Pointers {
 public:
  explicit Pointers(const Objects& objects) : objects_(objects) {}

  /// An instruction has issued; its result, unless it comes from memory, is in the registers.
  void issued(const protocol::InstructionEvent& event);
  /// The object that an access `offset` bytes behind a register of a lane is meant for; nullptr: unknown.
  const Objects::Range* target(const protocol::Origin& warp, std::uint8_t row, unsigned lane,
                               std::uint32_t offset);

 private:
  enum class Kind : std::uint8_t { kNone, kUpper, kObject, kDistance };
  /// kUpper: the upper part of an address, perhaps plus an index; the lower part is added later, or by the access.
  /// kDistance: between two objects.
  struct Tag {
    Kind kind = Kind::kNone;
    const Objects::Range* object =
        nullptr;  // kUpper: the one there, if a lower part of 0 may have been added
    std::uint32_t lanes = 0;
    std::uint32_t upper = 0;
  };
  using Row = std::array<Tag, 32>;
  Row& row_of(const protocol::Origin& warp) { return warps_[{warp.core, warp.warp}]; }
  Tag result(const protocol::InstructionEvent& event, const Row& row) const;
  Tag add_constant(const isa::Instruction& i, Tag to) const;
  const Objects::Range* behind_upper(const Tag& upper, std::uint32_t lower) const;
  const Objects::Range* object_at(std::uint32_t address) const;

  const Objects& objects_;
  std::map<std::pair<unsigned, unsigned>, Row> warps_;
};

}  // namespace spica::check
