// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/check/heap_blocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>
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
  const std::vector<Chunk> before = std::move(chunks_);
  chunks_.clear();
  if (read_chunks()) record_freed(before);
  else chunks_.clear();
  return !chunks_.empty();
}

bool HeapBlocks::read_chunks() {
  for (std::uint64_t at = word(first_); at >= begin_ && at + kHeader <= end_;) {
    const std::uint32_t state = word(at + 4), size = state & ~1u;
    if (size == 0) return true;  // the end
    if (size % 16 != 0 || at + size > end_) break;
    chunks_.push_back(
        {static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(at + size), (state & 1) != 0});
    at += size;
  }
  return false;
}

/// Blocks of `before` that are no longer there.
void HeapBlocks::record_freed(const std::vector<Chunk>& before) {
  auto now = chunks_.begin();
  for (const Chunk& old : before) {
    while (now != chunks_.end() && now->begin < old.begin) ++now;
    if (!old.used || (now != chunks_.end() && now->begin == old.begin && now->used)) continue;
    const std::uint32_t begin = old.begin + kHeader;
    auto next = freed_.upper_bound(begin);
    if (next != freed_.begin() && std::prev(next)->second > begin) next = std::prev(next);
    while (next != freed_.end() && next->first < old.end) next = freed_.erase(next);
    freed_.emplace(begin, old.end);
  }
}

/// "byte 0 of the freed block 0x80006140 of 8 bytes"; "" where none was.
std::string HeapBlocks::freed_text(std::uint32_t address) const {
  const auto next = freed_.upper_bound(address);
  if (next == freed_.begin() || address >= std::prev(next)->second) return "";
  const auto& [begin, end] = *std::prev(next);
  return fmt::format("byte {} of the freed block {:#010x} of {} bytes", address - begin, begin, end - begin);
}

HeapBlocks::Wrong HeapBlocks::wrong(std::uint32_t address, unsigned bytes) {
  if (!refresh()) return {};
  const auto next = std::upper_bound(chunks_.begin(), chunks_.end(), address,
                                     [](std::uint32_t at, const Chunk& chunk) { return at < chunk.begin; });
  if (next == chunks_.begin()) return {};
  const Chunk& chunk = *std::prev(next);
  if (address >= chunk.end) return {};
  const Chunk* before = std::prev(next) != chunks_.begin() ? &*std::prev(next, 2) : nullptr;
  if (before != nullptr && !before->used) before = nullptr;
  const std::string past =
      before == nullptr
          ? ""
          : fmt::format("{} bytes past the end of the block {:#010x} of {} bytes", address - before->end,
                        before->begin + kHeader, before->end - before->begin - kHeader);
  const std::string freed = freed_text(address);
  const bool near = before != nullptr && address - before->end < kPastTheEnd;
  if (!chunk.used && !freed.empty()) return {freed + (near ? ", or " + past : ""), true};
  if (!chunk.used && near) return {past};
  if (!chunk.used) return {"heap memory that is not allocated, or was freed"};
  if (address >= chunk.begin + kHeader && address + bytes <= chunk.end) return {};
  // The header in front of a block is the allocator's.
  const std::uint32_t begin = chunk.begin + kHeader;
  if (address >= begin)
    return {fmt::format("across the end of the block {:#010x} of {} bytes", begin, chunk.end - begin)};
  const std::string was = freed.empty() ? "" : ", and " + freed;
  if (before != nullptr) return {fmt::format("{}, before the block {:#010x}{}", past, begin, was)};
  return {fmt::format("{} bytes before the block {:#010x} of {} bytes{}", begin - address, begin,
                      chunk.end - begin, was)};
}

}  // namespace spica::check
