// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/shared_memory/burst_streams.h"

namespace spica::shared_memory {

/// The state of the ports during one cycle of arbitration.
struct BankCycle {
  void begin() { *this = {}; }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(done, changed, conflict);
  }

  Sources done = 0;  // the head was fully served
  Sources changed = 0;  // cores with some lanes served and others not
  bool conflict = false;  // a request found a word bank taken
};

}  // namespace spica::shared_memory
