// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace spica::base {
class Checkpoint;
}

namespace spica::main_memory {

/// The bytes of main memory: zero at first, host memory used only where it was touched.
class Storage {
 public:
  /// Throws std::bad_alloc when the host refuses the address range.
  Storage(std::uint64_t base, std::uint64_t size);
  ~Storage();
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  bool contains(std::uint64_t address, std::uint64_t bytes) const {
    return address >= base_ && bytes <= size_ && address - base_ <= size_ - bytes;
  }
  /// `address` must be contained.
  unsigned char* at(std::uint64_t address) { return bytes_ + (address - base_); }
  std::uint64_t base() const { return base_; }
  std::uint64_t size() const { return size_; }
  /// All bytes zero again.
  void clear();
  /// The pages that are not zero.
  void checkpoint(base::Checkpoint& checkpoint);

 private:
  std::vector<std::uint64_t> used_pages() const;

  std::uint64_t base_;
  std::uint64_t size_;
  unsigned char* bytes_;
};

}  // namespace spica::main_memory
