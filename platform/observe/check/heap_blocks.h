// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "platform/machine/loader/program.h"

namespace spica::check {

/// The blocks allocated by malloc() of sw/lib: its list of chunks (sw/lib/heap.cpp), read from memory when it may have
/// changed and is consistent. Also records freed blocks.
class HeapBlocks {
 public:
  using ReadMemory = std::function<bool(std::uint64_t address, unsigned char* to, std::uint64_t bytes)>;
  HeapBlocks(const loader::Program& program, ReadMemory read);

  /// True for addresses in the memory of malloc(); false in programs without it.
  bool contains(std::uint64_t address) const { return known_ && address >= begin_ && address < end_; }
  /// The heap is about to change: reads its blocks now.
  void read_blocks() {
    if (known_) refresh();
  }
  /// The heap is changing: it must be read again before use.
  void changed() { fresh_ = false; }
  struct Wrong {
    std::string detail;  // "": the bytes are in one block, or nothing is known
    bool freed = false;  // they are in a freed block and in no other
  };
  Wrong wrong(std::uint32_t address, unsigned bytes);

 private:
  struct Chunk {
    std::uint32_t begin, end;  // header included
    bool used;
  };
  bool refresh();
  bool read_chunks();
  void record_freed(const std::vector<Chunk>& before);
  std::string freed_text(std::uint32_t address) const;
  std::uint32_t word(std::uint64_t address) const;

  ReadMemory read_;
  bool known_ = false, fresh_ = false;
  std::uint64_t begin_ = 0, end_ = 0, first_ = 0, lock_ = 0;
  std::vector<Chunk> chunks_;  // by address
  std::map<std::uint32_t, std::uint32_t>
      freed_;  // freed blocks, from begin to end: the last one that had the bytes
};

}  // namespace spica::check
