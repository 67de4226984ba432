// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "models/base/checkpoint.h"
#include "models/base/clock_domain.h"
#include "models/base/component.h"
#include "models/base/stepped_clock.h"

namespace spica::soc {

/// Of user-supplied blocks in the fast mode, where no time passes while a request is answered: it ticks one that has a
/// request until it has answered.
class ForeignClock {
 public:
  /// Inside the module of the machine, whose clock is `machine`.
  explicit ForeignClock(const base::ClockDomain& machine)
      : domain_("foreign_clock", machine.period()), stepper_(domain_, machine) {}

  const base::ClockDomain& domain() const { return domain_; }
  void add(const std::vector<base::Component*>& blocks) {
    for (base::Component* block : blocks) domain_.add(*block);
  }
  void checkpoint(base::Checkpoint& checkpoint) {
    domain_.checkpoint_time(checkpoint);
    domain_.checkpoint_plans(checkpoint);
  }

 private:
  base::ClockDomain domain_;
  base::SteppedClock stepper_;
};

}  // namespace spica::soc
