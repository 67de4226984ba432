// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>

namespace spica::simt_core {

/// A fixed number of elements that begin as zero bytes. For state that a run may never use: memory that nothing has
/// written takes neither time nor pages of the host.
template <class T>
class ZeroedArray {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  explicit ZeroedArray(std::size_t size) : memory_(pages(size)), size_(size) {}

  T& operator[](std::size_t i) { return memory_.get()[i]; }
  const T& operator[](std::size_t i) const { return memory_.get()[i]; }
  T* begin() { return memory_.get(); }
  T* end() { return begin() + size_; }
  const T* begin() const { return memory_.get(); }
  const T* end() const { return begin() + size_; }
  bool empty() const { return size_ == 0; }
  void clear() { std::fill_n(begin(), size_, T{}); }

 private:
  struct Unmap {
    std::size_t bytes = 0;
    void operator()(T* memory) const { munmap(memory, bytes); }
  };
  /// Fresh pages: the heap may have to clear what it reuses.
  static std::unique_ptr<T, Unmap> pages(std::size_t size) {
    const std::size_t bytes = size * sizeof(T);
    if (bytes == 0) return {};
    void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    return {static_cast<T*>(memory), Unmap{bytes}};
  }

  std::unique_ptr<T, Unmap> memory_;
  std::size_t size_;
};

}  // namespace spica::simt_core
