// SPDX-License-Identifier: Apache-2.0
#include "models/protocol/ports/unit_rules.h"

#include <stdexcept>

namespace spica::protocol {

namespace {

/// The rules that are known; null: none.
template <class Rules>
const Rules*& known_rules() {
  static const Rules* known = nullptr;
  return known;
}

template <class Rules>
void make_known(const Rules& rules) {
  if (known_rules<Rules>() != nullptr)
    throw std::logic_error("a second kind of units or queues has rules for the checks");
  known_rules<Rules>() = &rules;
}

template <class Rules>
const Rules& rules_or_none() {
  static const Rules none;
  return known_rules<Rules>() != nullptr ? *known_rules<Rules>() : none;
}

}  // namespace

const UnitRules& unit_rules() { return rules_or_none<UnitRules>(); }
const QueueRules& queue_rules() { return rules_or_none<QueueRules>(); }
KnownUnitRules::KnownUnitRules(const UnitRules& rules) { make_known(rules); }
KnownQueueRules::KnownQueueRules(const QueueRules& rules) { make_known(rules); }

}  // namespace spica::protocol
