// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>

namespace spica::base {

/// A fixed number of elements that begin as zero bytes. For state that a run may never use: memory that nothing has
/// written takes neither time nor pages of the host.
template <class T>
class ZeroedArray {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  explicit ZeroedArray(std::size_t size)
      : memory_(std::calloc(size + 1, std::max(sizeof(T), alignof(T)))), size_(size) {
    std::size_t space = (size + 1) * std::max(sizeof(T), alignof(T));
    void* begin = memory_.get();
    if (begin == nullptr) throw std::bad_alloc();
    begin_ = static_cast<T*>(std::align(alignof(T), size * sizeof(T), begin, space));
  }

  T& operator[](std::size_t i) { return begin_[i]; }
  const T& operator[](std::size_t i) const { return begin_[i]; }
  T* begin() { return begin_; }
  T* end() { return begin_ + size_; }
  const T* begin() const { return begin_; }
  const T* end() const { return begin_ + size_; }
  bool empty() const { return size_ == 0; }
  void clear() { std::fill_n(begin_, size_, T{}); }

 private:
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };
  std::unique_ptr<void, Free> memory_;
  T* begin_ = nullptr;
  std::size_t size_;
};

}  // namespace spica::base
