// SPDX-License-Identifier: Apache-2.0
#include "models/base/block_calendar.h"

namespace spica::base {

void BlockCalendar::clear() {
  while (!cycles_.empty()) {
    const Cycle cycle = cycles_.next(0);
    take(cycle, [](std::size_t) {});
    leave(cycle);
  }
}

}  // namespace spica::base
