// SPDX-License-Identifier: Apache-2.0
#include "models/power/event.h"

namespace spica::power {

const std::vector<EventKind>& event_kinds() {
  static const std::vector<EventKind> kinds = [] {
    std::vector<EventKind> all;
    for (const base::BlockType* type : base::block_types())
      for (const base::EnergyEvent& event : type->events) all.push_back({event, type});
    return all;
  }();
  return kinds;
}

const std::vector<IdleKind>& idle_kinds() {
  static const std::vector<IdleKind> kinds = [] {
    std::vector<IdleKind> all;
    for (const base::BlockType* type : base::block_types())
      if (type->idle) all.push_back({*type->idle, type});
    return all;
  }();
  return kinds;
}

}  // namespace spica::power
