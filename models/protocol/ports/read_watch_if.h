// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace spica::protocol {

/// A memory that reports reads of selected bytes to an observer outside the machine.
class ReadWatchIf {
 public:
  struct Range {
    std::uint64_t begin, end;  // first address, and the address after the last
  };
  /// Returns false to end the watch.
  using Watcher = std::function<bool()>;
  /// Calls `watcher` for each read of a byte in `ranges`, in the cycle in which the request arrives. A request that has
  /// to wait may be reported several times. Replaces an earlier watch. The watch is not saved in checkpoints.
  virtual void watch_reads(std::vector<Range> ranges, Watcher watcher) = 0;

 protected:
  ~ReadWatchIf() = default;
};

}  // namespace spica::protocol
