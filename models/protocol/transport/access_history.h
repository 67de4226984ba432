// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace spica::protocol {

/// The last accesses to a memory, from which a later run fills its caches. Of equal accesses (same requester, block of
/// memory and direction) only the last one is kept.
class AccessHistory {
 public:
  static constexpr unsigned kBytes = 32;  // of a block of memory: a sector of most caches

  struct Access {
    std::uint64_t address = 0;  // kBytes bytes from here
    unsigned requester = 0;
    bool write = false;
  };

  /// `most`: accesses to keep.
  explicit AccessHistory(std::size_t most) : most_(most) {}

  void record(unsigned requester, std::uint64_t address, std::uint64_t bytes, bool write) {
    const std::uint64_t low = std::uint64_t{requester} << 1 | (write ? 1 : 0);
    for (std::uint64_t block = address / kBytes; block <= (address + bytes - 1) / kBytes; ++block) {
      const std::uint64_t entry = block << kLowBits | low;
      if (!log_.empty() && log_.back() == entry) continue;
      log_.push_back(entry);
      if (log_.size() >= kSlack * most_) compact();
    }
  }
  /// From the oldest one on.
  std::vector<Access> accesses();

  template <class Archive>
  void serialize(Archive& archive) {
    if (Archive::is_saving::value) compact();
    archive(log_);
  }

 private:
  static constexpr unsigned kLowBits = 17;  // requester and direction
  static constexpr std::size_t kSlack = 4;  // repetitions between two compactions

  void compact();

  const std::size_t most_;
  std::vector<std::uint64_t> log_;
};

}  // namespace spica::protocol
