// SPDX-License-Identifier: Apache-2.0
// State for people.
#include <ostream>

#include "models/cache/cache.h"

namespace spica::cache {

bool Cache::idle() const { return inside_ == 0 && memory_.empty() && memory_.idle(); }

void Cache::dump_state(std::ostream& os) const {
  for (unsigned i = 0; i < banks_.size(); ++i) {
    const BankPort& place = banks_[i];
    if (place.bank.idle() && responses_.empty(i)) continue;
    os << name() << " bank " << i << ": " << place.bank.queued() << " queued, " << place.held.size()
       << " held at the ports, " << place.bank.mshrs().lines() << " lines outstanding for "
       << place.bank.mshrs().waiting() << " requests, " << place.bank.replaying() << " to replay, "
       << memory_.free_ids(i) << " free memory ids\n";
  }
  if (!out.ready()) os << name() << ": memory side holds a request\n";
}

}  // namespace spica::cache
