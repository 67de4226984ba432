// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace spica::protocol {

/// A block that stores bytes of the machine, for tools that copy them without simulated time.
class ByteStore {
 public:
  virtual unsigned char* data() = 0;
  virtual std::size_t size() const = 0;

 protected:
  ~ByteStore() = default;
};

}  // namespace spica::protocol
