// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cereal/cereal.hpp>
#include <cstddef>
#include <cstdint>

#include "models/isa/instruction.h"
#include "models/isa/mma_form.h"

namespace spica::simt_core {

/// The fragments of a warp: isa::kFragmentSlots of isa::kFragmentRegisters rows of isa::kMaxLanes words; none where the
/// core has no registers for them.
class FragmentFile {
 public:
  /// `words`: zeros for `registers` rows, which outlive it.
  FragmentFile(std::uint32_t* words, std::uint64_t registers)
      : words_(words), size_(registers * isa::kMaxLanes) {}

  std::uint32_t* fragment(unsigned number) {
    return &words_[std::size_t{number} * isa::kFragmentRegisters * isa::kMaxLanes];
  }
  const std::uint32_t* fragment(unsigned number) const {
    return const_cast<FragmentFile*>(this)->fragment(number);
  }
  bool empty() const { return size_ == 0; }
  void clear() { std::fill_n(words_, size_, 0u); }
  /// Not saved: size_, and the zeros behind the last other word.
  template <class Archive>
  void serialize(Archive& archive) {
    std::uint64_t used = size_;
    while (used > 0 && words_[used - 1] == 0) --used;
    archive(used);
    if constexpr (Archive::is_loading::value) std::fill_n(words_, size_, 0u);
    archive(cereal::binary_data(words_, std::min<std::uint64_t>(used, size_) * sizeof *words_));
  }

 private:
  std::uint32_t* words_;
  std::size_t size_;
};

}  // namespace spica::simt_core
