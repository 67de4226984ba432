// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/isa/instruction.h"

namespace spica::isa {

/// Registers of one warp, [row][lane]. A row is `stride` words long, 32-byte aligned. Lanes from lanes() to stride()
/// are padding and stay zero. Row 0 (x0) holds zero and must not be written.
class RegisterFile {
 public:
  /// `lanes`: 1..kMaxLanes.
  explicit RegisterFile(unsigned lanes) : lanes_(lanes), stride_((lanes + 7) / 8 * 8) {
    blocks_.resize((kRegisterRows + 1) * stride_ / 8);
  }

  std::uint32_t* row(unsigned index) { return blocks_[index * stride_ / 8].words.data(); }
  const std::uint32_t* row(unsigned index) const { return blocks_[index * stride_ / 8].words.data(); }
  /// One row beyond the registers, for results that are never read.
  static constexpr std::uint8_t kSinkRow = kRegisterRows;

  unsigned lanes() const { return lanes_; }
  /// Lanes rounded up to a multiple of 8: words per row.
  unsigned stride() const { return stride_; }
  /// All registers of all lanes := 0.
  void clear() { blocks_.assign(blocks_.size(), Block{}); }
  /// Not saved: lanes_, stride_, and the zeros behind the last other block.
  template <class Archive>
  void serialize(Archive& archive) {
    std::uint64_t used = blocks_.size();
    while (used > 0 && blocks_[used - 1].words == Block{}.words) --used;
    archive(used);
    if constexpr (Archive::is_loading::value) clear();
    for (std::size_t i = 0; i < used && i < blocks_.size(); ++i) archive(blocks_[i].words);
  }

 private:
  struct alignas(32) Block {
    std::array<std::uint32_t, 8> words{};
  };
  unsigned lanes_, stride_;
  std::vector<Block> blocks_;
};

}  // namespace spica::isa
