// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/base/types.h"

namespace spica::soc {

/// Observes a running machine between two cycles, without changing it. Override the functions you need.
class RunObserver {
 public:
  virtual ~RunObserver() = default;
  /// Called when the machine is loaded and starts.
  virtual void begin(base::Cycle /*cycle*/) {}
  /// The cycle before which the machine must call at_edge(); kNever: none.
  virtual base::Cycle next_edge() const = 0;
  /// All cycles before `cycle` have been executed.
  virtual void at_edge(base::Cycle cycle) = 0;
  /// Cores executed markers in the cycle before `cycle`: this many begin markers, then this many end markers. All
  /// cycles before `cycle` have been executed.
  virtual void at_markers(base::Cycle /*cycle*/, unsigned /*begins*/, unsigned /*ends*/) {}
  /// True if at_launches() does something.
  virtual bool follows_launches() const { return false; }
  /// Kernels of queues were launched or have ended in the cycle before `cycle`. All cycles before `cycle` have been
  /// executed; in the fast mode, all instructions before that point of the round.
  virtual void at_launches(base::Cycle /*cycle*/) {}
  /// The run is over; `cycle` is the first cycle that was not executed.
  virtual void end(base::Cycle /*cycle*/) {}
};

}  // namespace spica::soc
