// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <utility>

#include "models/protocol/ports/probe_if.h"
#include "platform/observe/check/objects.h"

namespace spica::check {

/// The object to which the registers of each warp point, tracked from the instructions that compute its address. A
/// value loaded from memory, or derived from two objects, is unknown.
class Pointers {
 public:
  explicit Pointers(const Objects& objects) : objects_(objects) {}

  /// An instruction has issued; its result, unless it comes from memory, is in the registers.
  void issued(const protocol::InstructionEvent& event);
  /// The object that an access is meant for.
  struct Target {
    const Objects::Range* object = nullptr;  // certain; nullptr: unknown
    const Objects::Range* hint = nullptr;  // the object, or the likelier one of two
    std::uint32_t upper_at =
        0;  // pc of the instruction that created the upper part of the address; 0: unknown
  };
  /// Target of an access `offset` bytes after the address in a register of a lane.
  Target target(const protocol::Origin& warp, std::uint8_t row, unsigned lane, std::uint32_t offset);

 private:
  enum class Kind : std::uint8_t { kNone, kUpper, kObject, kDistance };
  /// kUpper: the upper part of an address, possibly with an index; the lower part is added later, or by the access.
  /// kDistance: a difference of two objects.
  struct Tag {
    Kind kind = Kind::kNone;
    const Objects::Range* object = nullptr;  // kUpper: the object, if a lower part of 0 may have been added
    std::uint32_t lanes = 0;
    std::uint32_t upper = 0;
    std::uint32_t upper_at = 0;  // pc of the creating instruction
  };
  using Row = std::array<Tag, 32>;
  using Warp = std::pair<unsigned, unsigned>;  // core and warp
  /// Usually that of the last call, because each lane of an access asks.
  Row& row_of(const protocol::Origin& warp) {
    const Warp asked{warp.core, warp.warp};
    if (last_ == nullptr || last_->first != asked) last_ = &*warps_.try_emplace(asked).first;
    return last_->second;
  }
  Tag result(const protocol::InstructionEvent& event, const Row& row) const;
  Tag add_constant(const isa::Instruction& i, Tag to) const;
  const Objects::Range* behind_upper(const Tag& upper, std::uint32_t lower) const;
  const Objects::Range* object_at(std::uint32_t address) const;

  const Objects& objects_;
  std::map<Warp, Row> warps_;
  std::pair<const Warp, Row>* last_ = nullptr;
};

}  // namespace spica::check
