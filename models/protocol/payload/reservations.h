// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "models/protocol/payload/atomic.h"
#include "models/protocol/payload/origin.h"

namespace spica::protocol {

/// State that stores to one memory must update: the load reservations (LR/SC), at most one aligned 4-byte word per
/// hardware thread, and a range watched from outside the machine. Any store, store-conditional or AMO to a word ends
/// all its reservations.
class Reservations {
 public:
  /// The effect of an atomic on its word.
  struct Effect {
    std::uint32_t answer;  // old value; store-conditional: 0 stored, 1 failed
    std::uint32_t stored;  // new value of the word, if `stores`
    bool stores;
  };

  /// Number of a hardware thread: core, warp and lane.
  static std::uint64_t holder(const Origin& origin, unsigned lane) {
    return std::uint64_t{origin.core} << 16 | std::uint64_t{origin.warp} << 8 | lane;
  }

  /// Performs `operation` of `holder` on the word at `address`, whose value is `old`.
  Effect perform(Atomic operation, std::uint64_t holder, std::uint64_t address, std::uint32_t old,
                 std::uint32_t operand) {
    const std::uint64_t word = address & ~std::uint64_t{3};
    if (operation == Atomic::kLoadReserved) {
      drop(holder);
      entries_.push_back({holder, word});
      return {old, old, false};
    }
    if (operation == Atomic::kStoreConditional) {
      const bool held = holds(holder, word);
      drop(holder);
      if (!held) return {1, old, false};
    }
    store(word, 4);
    const std::uint32_t now = atomic_result(operation, old, operand);
    if (now != old) changes_[word / 4 % changes_.size()] = {holder, word + 1};
    return {operation == Atomic::kStoreConditional ? 0 : old, now, true};
  }
  /// The hardware thread whose atomic last changed the word, as an Origin without a pc; for reports. Empty: none did,
  /// or the entry has been replaced.
  std::optional<Origin> last_change(std::uint64_t address) const {
    const std::uint64_t word = address & ~std::uint64_t{3};
    const Entry& entry = changes_[word / 4 % changes_.size()];
    if (entry.word != word + 1) return std::nullopt;
    return Origin{Origin::Unit::kCore, static_cast<std::uint8_t>(entry.holder >> 8),
                  static_cast<std::uint16_t>(entry.holder >> 16), 0, std::uint32_t{1} << (entry.holder & 31)};
  }
  /// Ends the reservations of words in [address, address + bytes).
  void store(std::uint64_t address, std::uint64_t bytes) {
    if (entries_.empty()) return;
    remove([&](const Entry& entry) { return entry.word + 4 > address && entry.word < address + bytes; });
  }
  bool holds(std::uint64_t holder, std::uint64_t address) const {
    return std::any_of(entries_.begin(), entries_.end(), [&](const Entry& entry) {
      return entry.holder == holder && entry.word == (address & ~std::uint64_t{3});
    });
  }
  void clear() {
    entries_.clear();
    changes_.fill({});
  }  // the watch stays: it is not state of the machine

  /// Called when a watched range has been stored to.
  using Watcher = std::function<void(const Origin& origin, std::uint64_t address, unsigned bytes)>;
  void watch(std::uint64_t begin, std::uint64_t end, Watcher watcher) {
    watch_begin_ = begin;
    watch_end_ = end;
    watcher_ = std::move(watcher);
  }
  /// Call after any change of [address, address + bytes).
  void stored(const Origin& origin, std::uint64_t address, unsigned bytes) const {
    if (address < watch_end_ && address + bytes > watch_begin_) watcher_(origin, address, bytes);
  }
  std::size_t size() const { return entries_.size(); }
  /// Not saved: watch_begin_, watch_end_, watcher_, which belong to an observer.
  template <class Archive>
  void serialize(Archive& archive) {
    archive(entries_, changes_);
  }

 private:
  struct Entry {
    std::uint64_t holder, word;
  };
  void drop(std::uint64_t holder) {
    remove([&](const Entry& entry) { return entry.holder == holder; });
  }
  template <class Test>
  void remove(Test&& test) {
    entries_.erase(std::remove_if(entries_.begin(), entries_.end(), test), entries_.end());
  }

  std::vector<Entry> entries_;
  std::array<Entry, 256> changes_{};  // hashed by word; the word number plus one, 0: none
  std::uint64_t watch_begin_ = 0, watch_end_ = 0;
  Watcher watcher_;
};

/// A block whose stores end reservations, or that performs atomics.
class ReservationUser {
 public:
  /// Makes the block use the reservations of the whole machine. Call before the simulation starts.
  virtual void share_reservations(Reservations& reservations) = 0;

 protected:
  ~ReservationUser() = default;
};

}  // namespace spica::protocol
