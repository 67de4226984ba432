// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace spica::protocol {

/// A memory that reports reads of some of its bytes to an observer outside the machine.
class ReadWatchIf {
 public:
  struct Range {
    std::uint64_t begin, end;  // addresses
  };
  /// Returns false when it wants to know no more.
  using Watcher = std::function<bool()>;
  /// Calls `watcher` for each read of a byte of `ranges`, in the cycle in which the request arrives. A request that has
  /// to wait may be reported more than once. Replaces the watch before. It belongs to the observer and is not saved.
  virtual void watch_reads(std::vector<Range> ranges, Watcher watcher) = 0;

 protected:
  ~ReadWatchIf() = default;
};

}  // namespace spica::protocol
