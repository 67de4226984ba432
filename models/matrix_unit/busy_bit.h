// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/base/types.h"

namespace spica::matrix_unit {

/// The busy bit: set `latency` cycles after work arrives, cleared with the last of it. Readers look at it in their own
/// cycle, which is this one or the one before.
class BusyBit {
 public:
  explicit BusyBit(base::Cycle latency) : latency_(latency) {}

  bool working() const { return working_; }
  void begin(base::Cycle now) {
    if (working_) return;
    working_ = true;
    from_ = now + latency_;
  }
  void end(base::Cycle now) {
    working_ = false;
    until_ = now;
  }
  /// The bit in cycle `at`.
  bool at(base::Cycle at, base::Cycle now) const {
    if (working_ && at >= from_) return true;
    return at < until_ && until_ <= now && (!working_ || at < from_);
  }
  void reset() {
    working_ = false;
    from_ = until_ = 0;
  }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(working_, from_, until_);
  }

 private:
  const base::Cycle latency_;
  bool working_ = false;
  base::Cycle from_ = 0, until_ = 0;
};

}  // namespace spica::matrix_unit
