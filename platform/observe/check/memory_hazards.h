// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>
#include <vector>

#include "models/protocol/address_map.h"
#include "platform/machine/loader/stack_layout.h"
#include "platform/observe/check/actor.h"
#include "platform/observe/check/conflicts.h"
#include "platform/observe/check/shadow.h"

namespace spica::check {

/// What an access means for the memory it touches: conflicts with what is remembered there, what is remembered from
/// now on, and words that synchronise.
class MemoryHazards {
 public:
  /// A word or byte that synchronises: a flag, a lock, a counter.
  struct SyncWord {
    Knowledge published;
    /// By warp: the epoch in which it saw the last store; 0: it has not.
    std::vector<Epoch> seen;
  };

  MemoryHazards(const soc::SocParams& params, const protocol::AddressMap& map, const loader::Program& program,
                Order& order, const Precedence& precedence, const UnitSites& sites, Conflicts& conflicts);

  /// Memory that is filled before the run.
  void initialised(std::uint64_t address, std::uint64_t bytes);
  /// Nothing has happened in these bytes of a cluster's shared memory, in the accumulator of a unit.
  void forget_shared(unsigned cluster, std::uint32_t address, std::uint32_t bytes);
  void forget_accumulator(unsigned unit);

  // -- accesses: of one actor, in a cluster
  void begin(const Actor& actor, unsigned cluster) {
    actor_ = actor;
    cluster_ = cluster;
  }
  Actor& actor() { return actor_; }
  /// Accesses brought the values of words that synchronise.
  bool waits() const { return !waiting_.empty(); }
  /// By guest address, in shared or global memory; false: somewhere else.
  bool access(std::uint32_t address, unsigned bytes, bool writes);
  bool access_global(std::uint32_t address, unsigned bytes, bool writes);
  /// By the offset in shared memory, which need not be in it.
  void access_shared(std::uint32_t offset, unsigned bytes, bool writes);
  /// A row.
  void access_accumulator(unsigned unit, std::uint32_t row, bool writes);
  /// Words whose values the accesses bring, since the last call; each once.
  std::vector<std::uint64_t> take_waiting();
  /// The warp has the values of these words: it is ordered behind what they publish.
  void see(unsigned warp, const std::vector<std::uint64_t>& words);

  // -- words that packets, kernels and firmware use
  /// The word becomes one that synchronises.
  SyncWord& signal(std::uint32_t address);
  /// A packet, a kernel or a firmware stores to it.
  void release(std::uint32_t address, const Knowledge& what);
  /// Whether anybody has stored to it.
  bool has_value(std::uint32_t address);

 private:
  void access_bytes(Shadow& shadow, std::uint32_t offset, unsigned bytes, std::uint32_t address,
                    bool is_write);
  void read(Shadow& shadow, Cell& cell, std::uint32_t address);
  void write(Shadow& shadow, Cell& cell, std::uint32_t address);
  bool before_actor(const Mark& mark, Access access, std::uint32_t address);
  bool held_back(const Mark& before);
  bool knows_store(const Cell& cell, std::uint32_t address) const;
  bool is_stack(std::uint32_t address) const;
  bool from_other_lane(const Mark& store) const;
  std::uint64_t sync_key(std::uint32_t address) const;
  SyncWord& sync_word(Cell& cell, std::uint32_t address);
  void synchronise(SyncWord& word, bool atomic, std::uint32_t address);
  Place place(std::uint32_t address) const { return {memory_, address}; }

  const protocol::AddressMap& map_;
  const Shape shape_;
  Order& order_;
  const Precedence precedence_;
  const UnitSites& sites_;
  Conflicts& conflicts_;
  const bool lanes_are_independent_;
  const std::uint64_t lanes_;  // of a warp
  const std::optional<loader::StackLayout> stacks_;

  Shadow global_;
  std::deque<Shadow> shared_;  // by cluster
  std::deque<Shadow> accumulators_;  // by unit
  std::vector<std::uint32_t> accumulator_rows_;  // by unit
  std::unordered_map<std::uint64_t, SyncWord> sync_;  // by memory and address; never iterated

  // of the access under way
  Actor actor_;
  Memory memory_ = Memory::kNone;
  unsigned cluster_ = 0;
  std::vector<std::uint64_t> waiting_;  // keys of sync_ whose values it brings
};

}  // namespace spica::check
