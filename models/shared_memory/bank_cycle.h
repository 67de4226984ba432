// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/shared_memory/burst_streams.h"

namespace spica::shared_memory {

/// What has become of the ports in one cycle at the banks, while it is in progress.
struct BankCycle {
  void begin() { *this = {}; }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(done, changed, conflict);
  }

  Sources done = 0;  // everything the head wanted of the banks was served
  Sources changed = 0;  // cores with lanes that were served, while others were not
  bool conflict = false;  // a request found a word bank taken
};

}  // namespace spica::shared_memory
