// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <utility>

#include "models/isa/fragment_use.h"
#include "models/isa/registers.h"
#include "models/protocol/payload/origin.h"
#include "platform/machine/loader/program.h"

namespace spica::check {

/// The registers of each warp's fragments (wmma32) that have a value.
class LoadedFragments {
 public:
  /// A fragment that an instruction reads although part of it has no value.
  struct Missing {
    unsigned fragment = 0;
    char matrix = 'A';  // 'A', 'B', 'C'
    unsigned loaded = 0, needed = 0;  // registers of a lane
  };
  /// The first such fragment of an instruction; needed == 0: none. The fragments it writes have values afterwards.
  Missing issued(const protocol::Origin& warp, const isa::Instruction& instruction);
  /// Another program begins in the warp.
  void forget(unsigned core, unsigned warp) { rows_.erase({core, warp}); }

 private:
  using Rows = std::array<std::uint8_t, isa::kFragmentSlots>;  // one bit per register
  static Missing missing(const Rows& rows, const isa::Instruction& instruction);
  std::map<std::pair<unsigned, unsigned>, Rows> rows_;  // by core and warp
};

/// The words through which lanes of a warp exchange values (spica::shuffle() and others of sw/lib), and the lanes that
/// took part in the last exchange.
class LaneExchange {
 public:
  LaneExchange(const loader::Program& program, unsigned warps, unsigned lanes);

  bool contains(std::uint32_t address) const { return address - begin_ < bytes_; }
  /// The active lanes of an instruction store their words.
  void publish(const protocol::Origin& warp);
  /// The lane whose word is read although it did not take part, or -1. `took_part`: lanes that did.
  int absent(const protocol::Origin& warp, unsigned lane, std::uint32_t address,
             std::uint32_t& took_part) const;

 private:
  using Lanes = std::array<std::uint32_t, isa::kMaxLanes>;  // by lane, a bit each
  std::uint32_t begin_ = 0, bytes_ = 0;
  unsigned warps_, lanes_;  // of a core, of a warp
  std::map<std::pair<unsigned, unsigned>, Lanes> took_part_;  // by core and warp
};

}  // namespace spica::check
