// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "models/isa/registers.h"
#include "models/protocol/address_map.h"
#include "models/simt_core/fast/op.h"
#include "models/simt_core/pipeline/decode_table.h"

namespace spica::simt_core::fast {

/// The program as decoded instructions, page by page as they are reached, for all cores of a cluster. A store to
/// code counts after refresh(), which fence.i calls.
class CodeCache {
 public:
  /// `memory`: the bytes of the region of `map` that can be executed, whose first byte is at `base`.
  /// `row_words`: words of a register row; `params`: of the cores.
  CodeCache(const protocol::AddressMap& map, const unsigned char* memory, std::uint64_t base,
            unsigned row_words, const Params& params);
  ~CodeCache();
  CodeCache(const CodeCache&) = delete;
  CodeCache& operator=(const CodeCache&) = delete;

  /// The instruction at `pc`, which is a multiple of 4; decoded when it is executed.
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
  /// The limit on pages is reached: a program that jumps all over memory would use up the host's.
  bool full() const { return in_use_.size() >= kMostPages; }
  /// Forgets everything; no instruction of it may be in use.
  void clear();
  /// Forgets what is not in memory any more.
  void refresh();
  /// Before the run: instructions that may move a stack pointer out of its stack are to be checked.
  void guard_stacks() { guards_stacks_ = true; }
  /// One warp more (or less) must be asked before each instruction that uses floats: while there is one, the loops
  /// leave these instructions to step().
  void watch_floats(bool more);

 private:
  static constexpr std::uintptr_t kAlignment = 65536;  // of a page, so that an Op leads to it
  static constexpr std::size_t kMostPages = 8192;  // 32 MB of code, 256 MB of the host

  struct FreePage {
    void operator()(Page* page) const;
  };
  Page* add_page(std::uint32_t number);
  std::uint32_t word_at(std::uint32_t pc) const;
  isa::RowOffset offset_of(std::uint8_t row) const {
    return {static_cast<std::uint16_t>(row * row_words_ * sizeof(std::uint32_t))};
  }

  const protocol::AddressMap& map_;
  const unsigned char* memory_;
  const std::uint64_t base_;
  const unsigned row_words_;
  DecodeTable decoder_;
  unsigned float_watchers_ = 0;  // warps
  bool guards_stacks_ = false;
  Page** pages_;  // by number; host memory only where it is used
  std::vector<std::unique_ptr<Page, FreePage>> in_use_;
};

}  // namespace spica::simt_core::fast
