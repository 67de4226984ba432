// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace spica::check {

/// The bytes of the address space that were written; one bit each, in pages allocated on first use.
class Written {
 public:
  Written() : pages_(std::size_t{1} << (32 - kPageBits)) {}

  void set(std::uint64_t address, std::uint64_t bytes, bool written = true) {
    for (std::uint64_t at = address; at < address + bytes; ++at) {
      auto& page = pages_[(at & 0xFFFF'FFFF) >> kPageBits];
      if (page == nullptr) {
        if (!written) continue;
        page = std::make_unique<std::uint64_t[]>(kPageBytes / 64);
      }
      std::uint64_t& word = page[at % kPageBytes / 64];
      const std::uint64_t bit = std::uint64_t{1} << at % 64;
      word = written ? word | bit : word & ~bit;
    }
  }
  /// True if one of the bytes was written.
  bool any(std::uint32_t address, unsigned bytes) const {
    for (unsigned i = 0; i < bytes; ++i) {
      const std::uint32_t at = address + i;
      const auto& page = pages_[at >> kPageBits];
      if (page != nullptr && (page[at % kPageBytes / 64] >> at % 64 & 1) != 0) return true;
    }
    return false;
  }

 private:
  static constexpr unsigned kPageBits = 16;
  static constexpr std::uint64_t kPageBytes = 1 << kPageBits;
  std::vector<std::unique_ptr<std::uint64_t[]>> pages_;
};

}  // namespace spica::check
