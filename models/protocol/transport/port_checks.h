// SPDX-License-Identifier: Apache-2.0
// Checks common to both ends of a link.
#pragma once

#include <algorithm>
#include <string>
#include <tlm>
#include <vector>

#include "models/base/component.h"
#include "models/protocol/transport/ports.h"

namespace spica::protocol {

/// Reports a module that binds or calls a socket in an unsupported way.
inline void report_link(const char* where, const std::string& what) {
  SC_REPORT_ERROR("/spica/link", (std::string(where) + ": " + what).c_str());
}

/// Reports a block without a clock: nothing would ever happen in it.
inline void require_clock(const base::Component* block) {
  if (block == nullptr || block->domain() != nullptr) return;
  report_link(block->name(),
              "belongs to no clock domain: call ClockDomain::add() with it before the simulation starts");
}

/// Removes `payload` from `list`. False: it is not in it.
inline bool take_out(std::vector<Payload*>& list, const Payload& payload) {
  const auto found = std::find(list.begin(), list.end(), &payload);
  if (found == list.end()) return false;
  list.erase(found);
  return true;
}

}  // namespace spica::protocol
