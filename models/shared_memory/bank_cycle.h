// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/protocol/request_info.h"
#include "models/shared_memory/burst_streams.h"
#include "models/shared_memory/request.h"

namespace spica::shared_memory {

/// One cycle at the banks, while it is in progress.
template <class WordBanks>
struct BankCycle {
  void begin() {
    taken[kRead] = blocked;
    taken[kWrite] = 0;
    done = changed = 0;
    conflict = false;
  }
  /// Word banks that the request cannot have any more.
  WordBanks taken_for(const BasicRequest<WordBanks>& request) const {
    return request.atomic == protocol::Atomic::kNone ? taken[request.direction]
                                                     : taken[kRead] | taken[kWrite];
  }
  void take(const BasicRequest<WordBanks>& request, WordBanks banks) {
    taken[request.direction] |= banks;
    if (request.atomic != protocol::Atomic::kNone) taken[kWrite] |= banks;
  }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(taken, done, changed, blocked, conflict);
  }

  WordBanks taken[2] = {0, 0};  // by direction
  Sources done = 0;  // everything the head wanted of the banks was served
  Sources changed = 0;  // cores with lanes that were served, while others were not
  WordBanks blocked = 0;  // word banks whose last answer is not taken
  bool conflict = false;  // a request found a word bank taken
};

}  // namespace spica::shared_memory
