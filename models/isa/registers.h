// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/isa/instruction.h"

namespace spica::isa {

/// Registers of one warp, [row][lane]. A row is `stride` words long, 32-byte aligned. Lanes from lanes() to stride()
/// are padding and stay zero. Row 0 (x0) holds zero and must not be written.
class RegisterFile {
 public:
  struct alignas(32) Block {
    std::array<std::uint32_t, 8> words{};
  };
  /// `lanes`: 1..kMaxLanes.
  explicit RegisterFile(unsigned lanes) : RegisterFile(nullptr, lanes) {
    own_.resize(blocks_of(lanes));
    blocks_ = own_.data();
  }
  /// `blocks`: blocks_of(lanes) of zeros, which outlive it.
  RegisterFile(Block* blocks, unsigned lanes)
      : lanes_(lanes), stride_(stride_of(lanes)), count_(blocks_of(lanes)), blocks_(blocks) {}
  RegisterFile(RegisterFile&&) = default;
  RegisterFile(const RegisterFile& other) : RegisterFile(other.lanes_) {
    std::copy_n(other.blocks_, count_, blocks_);
  }
  RegisterFile& operator=(const RegisterFile&) = delete;

  static constexpr std::size_t blocks_of(unsigned lanes) {
    return std::size_t{kRegisterRows + 1} * stride_of(lanes) / 8;
  }

  std::uint32_t* row(unsigned index) { return blocks_[index * stride_ / 8].words.data(); }
  const std::uint32_t* row(unsigned index) const { return blocks_[index * stride_ / 8].words.data(); }
  /// One row beyond the registers, for results that are never read.
  static constexpr std::uint8_t kSinkRow = kRegisterRows;

  unsigned lanes() const { return lanes_; }
  /// Lanes rounded up to a multiple of 8: words per row.
  unsigned stride() const { return stride_; }
  /// All registers of all lanes := 0.
  void clear() { std::fill_n(blocks_, count_, Block{}); }
  /// Not saved: lanes_, stride_, own_, and the zeros behind the last other block.
  template <class Archive>
  void serialize(Archive& archive) {
    std::uint64_t used = count_;
    while (used > 0 && blocks_[used - 1].words == Block{}.words) --used;
    archive(used);
    if constexpr (Archive::is_loading::value) clear();
    for (std::size_t i = 0; i < used && i < count_; ++i) archive(blocks_[i].words);
  }

 private:
  static constexpr unsigned stride_of(unsigned lanes) { return (lanes + 7) / 8 * 8; }

  unsigned lanes_, stride_;
  std::size_t count_;
  std::vector<Block> own_;
  Block* blocks_;
};

}  // namespace spica::isa
