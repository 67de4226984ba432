// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/check/heap_blocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace spica::check {

namespace {
constexpr std::uint32_t kHeader = 8;  // of a chunk, sw/lib/heap.cpp
constexpr std::uint32_t kPastTheEnd =
    64;  // bytes past a block that rather belong to its end than to another one
}  // namespace

HeapBlocks::HeapBlocks(const loader::Program& program, ReadMemory read) : read_(std::move(read)) {
  const loader::Symbol* begin = program.find("__heap_start");
  const loader::Symbol* end = program.find("__heap_end");
  const loader::Symbol* first = program.find("_ZN12_GLOBAL__N_15firstE");
  const loader::Symbol* lock = program.find("_ZN12_GLOBAL__N_14lockE");
  if (begin == nullptr || end == nullptr || first == nullptr || lock == nullptr) return;
  known_ = true;
  begin_ = begin->address;
  end_ = end->address;
  first_ = first->address;
  lock_ = lock->address;
}

std::uint32_t HeapBlocks::word(std::uint64_t address) const {
  unsigned char bytes[4] = {};
  std::uint32_t value = 0;
  if (!read_(address, bytes, sizeof bytes)) return 0;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

/// False: it is being changed, or the chunks make no row.
bool HeapBlocks::refresh() {
  if (word(lock_) != 0) return false;
  if (fresh_) return !chunks_.empty();
  fresh_ = true;
  chunks_.clear();
  for (std::uint64_t at = word(first_); at >= begin_ && at + kHeader <= end_;) {
    const std::uint32_t state = word(at + 4), size = state & ~1u;
    if (size == 0) return !chunks_.empty();  // the end
    if (size % 16 != 0 || at + size > end_) break;
    chunks_.push_back(
        {static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(at + size), (state & 1) != 0});
    at += size;
  }
  chunks_.clear();
  return false;
}

std::string HeapBlocks::wrong(std::uint32_t address, unsigned bytes) {
  if (!refresh()) return "";
  const auto next = std::upper_bound(chunks_.begin(), chunks_.end(), address,
                                     [](std::uint32_t at, const Chunk& chunk) { return at < chunk.begin; });
  if (next == chunks_.begin()) return "";
  const Chunk& chunk = *std::prev(next);
  if (address >= chunk.end) return "";
  const Chunk* before = std::prev(next) != chunks_.begin() ? &*std::prev(next, 2) : nullptr;
  if (!chunk.used && before != nullptr && before->used && address - before->end < kPastTheEnd)
    return fmt::format("{} bytes past the end of the block {:#010x} of {} bytes", address - before->end,
                       before->begin + kHeader, before->end - before->begin - kHeader);
  if (!chunk.used) return "heap memory that is not allocated, or was freed";
  if (address >= chunk.begin + kHeader && address + bytes <= chunk.end) return "";
  // The header in front of a block is the allocator's.
  const bool behind = address >= chunk.begin + kHeader;
  if (!behind && before != nullptr && before->used)
    return fmt::format("{} bytes past the end of the block {:#010x} of {} bytes, before the block {:#010x}",
                       address - before->end, before->begin + kHeader, before->end - before->begin - kHeader,
                       chunk.begin + kHeader);
  return behind
             ? fmt::format("across the end of the block {:#010x} of {} bytes", chunk.begin + kHeader,
                           chunk.end - chunk.begin - kHeader)
             : fmt::format("{} bytes before the block {:#010x} of {} bytes", chunk.begin + kHeader - address,
                           chunk.begin + kHeader, chunk.end - chunk.begin - kHeader);
}

}  // namespace spica::check
