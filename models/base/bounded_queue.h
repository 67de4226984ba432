// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "models/base/bits.h"
#include "models/base/hot_inline.h"
#include "models/base/invariant.h"

namespace spica::base {

/// First-in first-out queue with a fixed capacity; storage is allocated once. The object itself is small, because
/// blocks examine many queues every cycle.
template <class T>
class BoundedQueue {
 public:
  explicit BoundedQueue(std::size_t capacity)
      : slots_(std::make_unique<T[]>(next_power_of_two(capacity))),
        mask_(static_cast<std::uint16_t>(next_power_of_two(capacity) - 1)),
        capacity_(static_cast<std::uint16_t>(capacity)) {
    SPICA_INVARIANT(capacity <= kMost);
  }
  static constexpr std::size_t kMost = 0x8000;

  bool empty() const { return size_ == 0; }
  bool full() const { return size_ == capacity_; }
  std::size_t size() const { return size_; }
  std::size_t capacity() const { return capacity_; }
  std::size_t free() const { return capacity_ - size_; }

  void push(T value) { append() = std::move(value); }
  /// Adds an entry with unspecified contents and returns it, to be filled in place. For types that are expensive to
  /// copy.
  SPICA_HOT_INLINE T& append() {
    SPICA_INVARIANT(!full());
    return slots_[index(size_++)];
  }
  T& front() {
    SPICA_INVARIANT(!empty());
    return slots_[head_];
  }
  const T& front() const {
    SPICA_INVARIANT(!empty());
    return slots_[head_];
  }
  T pop() {
    SPICA_INVARIANT(!empty());
    T value = std::move(slots_[head_]);
    drop();
    return value;
  }
  /// Removes the front without reading it.
  void drop() {
    SPICA_INVARIANT(!empty());
    // An empty queue starts over at index 0, so that a long queue with few entries stays in few cache lines.
    head_ = --size_ == 0 ? std::uint16_t{0} : static_cast<std::uint16_t>(index(1));
  }
  /// The i-th entry from the front.
  T& operator[](std::size_t i) { return slots_[index(i)]; }
  const T& operator[](std::size_t i) const { return slots_[index(i)]; }
  T& back() { return (*this)[size_ - 1u]; }
  /// Removes the i-th entry from the front; the order of the others stays.
  T take(std::size_t i) {
    T value = std::move((*this)[i]);
    for (; i != 0; --i) (*this)[i] = std::move((*this)[i - 1]);
    drop();
    return value;
  }
  /// Not saved: slots_, mask_ and capacity_, which do not change; head_, which may differ between equal queues.
  template <class Archive>
  void serialize(Archive& archive) {
    std::uint16_t size = size_;
    archive(size);
    if constexpr (Archive::is_loading::value) {
      clear();
      size_ = size;
    }
    for (std::size_t i = 0; i < size_; ++i) archive((*this)[i]);
  }
  void clear() {
    head_ = 0;
    size_ = 0;
  }

 private:
  std::uint32_t index(std::size_t i) const { return (head_ + static_cast<std::uint32_t>(i)) & mask_; }

  std::unique_ptr<T[]> slots_;
  std::uint16_t mask_;  // slots - 1; the number of slots is a power of two
  std::uint16_t capacity_;
  std::uint16_t head_ = 0;
  std::uint16_t size_ = 0;
};

}  // namespace spica::base
