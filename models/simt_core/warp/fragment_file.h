// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "models/isa/instruction.h"
#include "models/isa/mma_form.h"

namespace spica::simt_core {

/// The fragments of a warp: isa::kFragmentSlots of isa::kFragmentRegisters rows of isa::kMaxLanes words; none where the
/// core has no registers for them.
class FragmentFile {
 public:
  explicit FragmentFile(std::uint64_t registers) : words_(registers * isa::kMaxLanes) {}

  std::uint32_t* fragment(unsigned number) {
    return &words_[std::size_t{number} * isa::kFragmentRegisters * isa::kMaxLanes];
  }
  const std::uint32_t* fragment(unsigned number) const {
    return const_cast<FragmentFile*>(this)->fragment(number);
  }
  bool empty() const { return words_.empty(); }
  void clear() { words_.assign(words_.size(), 0); }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(words_);
  }

 private:
  std::vector<std::uint32_t> words_;
};

}  // namespace spica::simt_core
