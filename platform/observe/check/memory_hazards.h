// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>
#include <vector>

#include "models/protocol/payload/address_map.h"
#include "platform/machine/loader/stack_layout.h"
#include "platform/observe/check/actor.h"
#include "platform/observe/check/conflicts.h"
#include "platform/observe/check/shadow.h"

namespace spica::check {

/// The effect of an access on the recorded state of memory: conflicts with earlier accesses, the new record, and
/// synchronising words.
class MemoryHazards {
 public:
  /// A synchronising word or byte: a flag, a lock, a counter.
  struct SyncWord {
    Knowledge published;
    /// By warp: the epoch in which it observed the last store; 0: not yet.
    std::vector<Epoch> seen;
    /// The plain store before its first atomic. Whatever atomic was last, those of other warps must be behind it.
    Mark plain;
  };

  MemoryHazards(const soc::SocParams& params, const protocol::AddressMap& map, const loader::Program& program,
                Order& order, const Precedence& precedence, const UnitSites& sites, Conflicts& conflicts);

  /// Marks memory that is filled before the run.
  void initialised(std::uint64_t address, std::uint64_t bytes);
  /// Drops the records of these bytes of a cluster's shared memory, or of the accumulator of a unit.
  void forget_shared(unsigned cluster, std::uint32_t address, std::uint32_t bytes);
  void forget_accumulator(unsigned unit);

  // -- accesses by one actor, in a cluster
  void begin(const Actor& actor, unsigned cluster) {
    actor_ = actor;
    cluster_ = cluster;
  }
  Actor& actor() { return actor_; }
  /// True if accesses loaded values of synchronising words.
  bool waits() const { return !waiting_.empty(); }
  /// An access by guest address. False: neither shared nor global memory.
  bool access(std::uint32_t address, unsigned bytes, bool writes);
  bool access_global(std::uint32_t address, unsigned bytes, bool writes);
  /// An access by offset in shared memory; the offset may be outside.
  void access_shared(std::uint32_t offset, unsigned bytes, bool writes);
  /// An access to a row of an accumulator.
  void access_accumulator(unsigned unit, std::uint32_t row, bool writes);
  /// The synchronising words loaded since the last call, without duplicates.
  std::vector<std::uint64_t> take_waiting();
  /// The warp has the values of these words: it is ordered after what they published.
  void observe(unsigned warp, const std::vector<std::uint64_t>& words);

  // -- words used by packets, kernels and firmware
  /// Makes the word a synchronising one.
  SyncWord& signal(std::uint32_t address);
  /// A packet, a kernel or a firmware stores to it.
  void release(std::uint32_t address, const Knowledge& what);
  /// True if it has been stored to.
  bool has_value(std::uint32_t address);

 private:
  void access_bytes(Shadow& shadow, std::uint32_t offset, unsigned bytes, std::uint32_t address,
                    bool is_write);
  void read(Shadow& shadow, Cell& cell, std::uint32_t address);
  void write(Shadow& shadow, Cell& cell, std::uint32_t address);
  bool before_actor(const Mark& mark, Access access, std::uint32_t address);
  bool held_back(const Mark& before);
  void follow_plain_store(const SyncWord& word, std::uint32_t address);
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
  const std::uint64_t lanes_;  // lanes of a warp
  const std::optional<loader::StackLayout> stacks_;

  Shadow global_;
  std::deque<Shadow> shared_;  // by cluster
  std::deque<Shadow> accumulators_;  // by unit
  std::vector<std::uint32_t> accumulator_rows_;  // by unit
  std::unordered_map<std::uint64_t, SyncWord> sync_;  // by memory and address; never iterated

  // the current actor
  Actor actor_;
  Memory memory_ = Memory::kNone;
  unsigned cluster_ = 0;
  std::vector<std::uint64_t> waiting_;  // keys of sync_ loaded by the current access
};

}  // namespace spica::check
