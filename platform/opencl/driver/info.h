// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CL/cl.h>

#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "platform/opencl/driver/object.h"

namespace spica::opencl {

/// The answer of a clGet...Info function: copies a value into the caller's memory. Throws CL_INVALID_VALUE if
/// it does not fit.
class Answer {
 public:
  Answer(std::size_t bytes, void* value, std::size_t* bytes_of_value)
      : room_(bytes), to_(value), size_(bytes_of_value) {}

  template <class T>
  std::enable_if_t<std::is_trivially_copyable_v<T>> operator()(const T& value) const {
    bytes(static_cast<const void*>(&value), sizeof(T));  // NOLINT(bugprone-sizeof-expression): also handles
  }
  template <class T>
  void operator()(const std::vector<T>& values) const {
    bytes(static_cast<const void*>(values.data()),
          values.size() * sizeof(T));  // NOLINT(bugprone-sizeof-expression): also handles
  }
  void operator()(const std::string& text) const { bytes(text.c_str(), text.size() + 1); }
  void operator()(const char* text) const { bytes(text, std::strlen(text) + 1); }

  void bytes(const void* from, std::size_t count) const {
    if (to_ != nullptr) {
      require(room_ >= count, CL_INVALID_VALUE);
      if (count != 0) std::memcpy(to_, from, count);
    }
    if (size_ != nullptr) *size_ = count;
  }

  /// The caller's memory, for answers that are arrays of pointers.
  void* memory() const { return to_; }
  std::size_t room() const { return room_; }

 private:
  std::size_t room_;
  void* to_;
  std::size_t* size_;
};

}  // namespace spica::opencl
