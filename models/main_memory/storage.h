// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace spica::base {
class Checkpoint;
}

namespace spica::main_memory {

/// The bytes of main memory, initially zero. Host memory is used only for touched pages.
class Storage {
 public:
  /// Throws std::bad_alloc if the host refuses the address range.
  Storage(std::uint64_t base, std::uint64_t size);
  ~Storage();
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  bool contains(std::uint64_t address, std::uint64_t bytes) const {
    return address >= base_ && bytes <= size_ && address - base_ <= size_ - bytes;
  }
  /// `address` must be inside.
  unsigned char* at(std::uint64_t address) { return bytes_ + (address - base_); }
  std::uint64_t base() const { return base_; }
  std::uint64_t size() const { return size_; }
  /// Sets all bytes to zero.
  void clear();
  /// Saves or loads the pages that are not zero.
  void checkpoint(base::Checkpoint& checkpoint);

 private:
  std::vector<std::uint64_t> used_pages() const;

  std::uint64_t base_;
  std::uint64_t size_;
  unsigned char* bytes_;
};

}  // namespace spica::main_memory
