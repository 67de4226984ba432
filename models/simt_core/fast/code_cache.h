// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "models/isa/registers.h"
#include "models/protocol/payload/address_map.h"
#include "models/simt_core/fast/op.h"
#include "models/simt_core/pipeline/decode_table.h"

namespace spica::simt_core::fast {

/// The program as decoded instructions, decoded page by page when reached, for all cores of a cluster. Stores to code
/// take effect after refresh(), which fence.i calls.
class CodeCache {
 public:
  /// `memory`: the bytes of the executable region of `map`, which starts at `base`. `row_words`: words of a register
  /// row. `params`: of the cores.
  CodeCache(const protocol::AddressMap& map, const unsigned char* memory, std::uint64_t base,
            unsigned row_words, const Params& params);
  ~CodeCache();
  CodeCache(const CodeCache&) = delete;
  CodeCache& operator=(const CodeCache&) = delete;

  /// The instruction at `pc`, a multiple of 4; decoded when it is executed.
  Op* at(std::uint32_t pc) {
    Page* page = pages_[pc / kPageBytes];
    if (page == nullptr) page = add_page(pc / kPageBytes);
    return &page->ops[pc % kPageBytes / 4];
  }
  static std::uint32_t pc_of(const Op* op) {
    const auto* page =
        reinterpret_cast<const Page*>(reinterpret_cast<std::uintptr_t>(op) & ~(kAlignment - 1));
    return page->base + 4 * static_cast<std::uint32_t>(op - page->ops);
  }
  Page* const* pages() const { return pages_; }

  void decode(Op& op);
  void choose_code(Op& op, std::uint32_t pc);
  /// The page limit is reached. It protects the host from a program that jumps all over memory.
  bool full() const { return in_use_.size() >= kMostPages; }
  /// Drops all pages; no instruction may be in use.
  void clear();
  /// Drops instructions that no longer match memory: all, or those in [address, address + bytes).
  void refresh();
  void refresh(std::uint64_t address, std::uint64_t bytes);
  /// Marks instructions that may move a stack pointer out of its stack, to be checked. Call before the run.
  void guard_stacks() { guards_stacks_ = true; }
  /// Adds (or removes) a warp that must be checked before each instruction with floats. While there is one, the loops
  /// leave these instructions to step().
  void watch_floats(bool more);

 private:
  /// alignment of a page, so that the address of an Op gives its page
  static constexpr std::uintptr_t kAlignment = 65536;
  static constexpr std::size_t kMostPages = 8192;  // 32 MB of code, 256 MB of host memory

  struct FreePage {
    void operator()(Page* page) const;
  };
  Page* add_page(std::uint32_t number);
  std::uint32_t word_at(std::uint32_t pc) const;
  void refresh(Page& page, unsigned first, unsigned end);
  isa::RowOffset offset_of(std::uint8_t row) const {
    return {static_cast<std::uint16_t>(row * row_words_ * sizeof(std::uint32_t))};
  }

  const protocol::AddressMap& map_;
  const unsigned char* memory_;
  const std::uint64_t base_;
  const unsigned row_words_;
  DecodeTable decoder_;
  unsigned float_watchers_ = 0;  // number of such warps
  bool guards_stacks_ = false;
  Page** pages_;  // by number; host memory only where it is used
  std::vector<std::unique_ptr<Page, FreePage>> in_use_;
};

}  // namespace spica::simt_core::fast
