// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>
#include <cstddef>
#include <utility>
#include <vector>

namespace spica::base {

/// First-in first-out queue with a fixed capacity; storage is allocated once.
template <class T>
class BoundedQueue {
 public:
  explicit BoundedQueue(std::size_t capacity)
      : slots_(capacity == 0 ? 1 : capacity), length_(slots_.size()), capacity_(capacity) {}

  bool empty() const { return size_ == 0; }
  bool full() const { return size_ == capacity_; }
  std::size_t size() const { return size_; }
  std::size_t capacity() const { return capacity_; }
  std::size_t free() const { return capacity_ - size_; }

  void push(T value) {
    assert(!full());
    slots_[index(size_)] = std::move(value);
    ++size_;
  }
  T& front() {
    assert(!empty());
    return slots_[head_];
  }
  const T& front() const {
    assert(!empty());
    return slots_[head_];
  }
  T pop() {
    assert(!empty());
    T value = std::move(slots_[head_]);
    head_ = index(1);
    --size_;
    return value;
  }
  /// The i-th entry from the front.
  T& operator[](std::size_t i) { return slots_[index(i)]; }
  const T& operator[](std::size_t i) const { return slots_[index(i)]; }
  void clear() {
    head_ = 0;
    size_ = 0;
  }

 private:
  std::size_t index(std::size_t i) const {
    const std::size_t sum = head_ + i;
    return sum < length_ ? sum : sum - length_;
  }

  std::vector<T> slots_;
  std::size_t length_;  // of slots_; asking it divides by the size of T
  std::size_t capacity_;
  std::size_t head_ = 0;
  std::size_t size_ = 0;
};

}  // namespace spica::base
