// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "platform/observe/check/agents.h"
#include "platform/observe/check/clock.h"

namespace spica::check {

/// The record of one access.
struct Mark {
  enum Flag : std::uint8_t {
    kAtomic = 1,       // a read-modify-write
    kReleasing = 2,    // a store right after a fence
    kInitialised = 4,  // filled before the run
    kSplit = 8,        // writes: the bytes of the word have separate cells, number `epoch`
    kShared = 16,      // reads: several, in set number `epoch`
    kFlag = 32,        // writes: the word is a flag or a lock
    kLanes = 64,       // writes: several lanes of the warp wrote it
    kAcquiring = 128,  // reads: a fence follows
    kSynchronises = kAtomic | kReleasing | kFlag,
  };
  Epoch epoch = 0;
  std::uint32_t site = 0;  // the instruction or command, see Sites
  std::uint16_t agent = Agents::kNone;
  std::uint8_t lane = 0;
  std::uint8_t flags = 0;
  bool has(Flag any) const { return (flags & any) != 0; }
};

/// The last write of a word or byte, and the reads since.
struct Cell {
  Mark write, read;
};

/// The records of every byte of a memory: words, split into bytes when an access is smaller than a word.
class Shadow {
 public:
  using Bytes = std::array<Cell, 4>;
  using Reads = std::vector<Mark>;

  /// Allocates `words` cells at once; 0: pages on first use.
  explicit Shadow(std::size_t words = 0) : fixed_(words) {}

  /// The cell of the word at `index` (address / 4).
  Cell& word(std::uint32_t index) {
    if (!fixed_.empty()) return fixed_[index];
    const std::uint32_t page = index / kPageWords;
    if (page != last_page_) find(page);
    return last_[index % kPageWords];
  }
  bool holds(std::uint32_t index) const { return fixed_.empty() || index < fixed_.size(); }

  /// The bytes of a word; splits it if necessary.
  Bytes& divide(Cell& word);
  Bytes& bytes(const Cell& word) { return bytes_[word.write.epoch]; }
  /// Merges the bytes of a word into the record of the first.
  void unite(Cell& word);

  /// The reads of a cell with several.
  Reads& reads(const Cell& cell) { return reads_[cell.read.epoch]; }
  /// Makes room for several reads in a cell with one.
  Reads& share(Cell& cell);
  void forget_reads(Cell& cell);
  /// Drops the records of these words.
  void forget(std::uint32_t first, std::uint32_t words);

 private:
  static constexpr std::uint32_t kPageWords = 1024;
  void find(std::uint32_t page);

  std::vector<Cell> fixed_;
  std::vector<std::unique_ptr<Cell[]>> pages_;
  std::uint32_t last_page_ = ~0u;
  Cell* last_ = nullptr;
  std::deque<Bytes> bytes_;
  std::vector<std::uint32_t> free_bytes_;
  std::deque<Reads> reads_;
  std::vector<std::uint32_t> free_reads_;
};

}  // namespace spica::check
