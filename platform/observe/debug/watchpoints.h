// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <tuple>
#include <vector>

#include "models/protocol/ports/probe_if.h"

namespace spica::debug {

/// The watchpoints that are set, and which of them something touches.
class Watchpoints {
 public:
  /// `kind` as in gdb's Z packets: '2' writes, '3' reads, '4' both.
  struct Watch {
    char kind;
    std::uint32_t address, bytes;
    bool contains(std::uint32_t byte) const { return byte - address < bytes; }
    bool operator<(const Watch& other) const {
      return std::tie(kind, address, bytes) < std::tie(other.kind, other.address, other.bytes);
    }
  };
  /// One stop. gdb gives each stop to all watchpoints that contain its address, so those are one
  /// hit.
  struct Hit {
    char kind;
    std::uint32_t address;  // the first byte that is touched and watched
    std::uint32_t lanes;    // of an instruction
    bool write;
  };

  void insert(const Watch& watch) { watches_.insert(watch); }
  void remove(const Watch& watch) { watches_.erase(watch); }
  void clear() { watches_.clear(); }
  bool empty() const { return watches_.empty(); }
  /// There is one that still wants to know of this hit.
  bool wants(char kind, std::uint32_t address) const;

  /// What an instruction is about to touch with all its lanes.
  std::vector<Hit> of_access(const protocol::InstructionEvent& event) const;
  /// Hits of a piece of memory that a unit has read or written; addresses in shared memory are relative to
  /// `shared_base`.
  std::vector<Hit> of_piece(const protocol::Piece& piece, std::uint32_t shared_base) const;

 private:
  std::set<Watch> watches_;
};

}  // namespace spica::debug
