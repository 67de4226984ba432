// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/base/types.h"

namespace spica::soc {

/// An observer of the machine between two cycles while it runs. Changes nothing in it. Overrides what it
/// wants to know.
class RunObserver {
 public:
  virtual ~RunObserver() = default;
  /// The machine is loaded and starts.
  virtual void begin(base::Cycle /*cycle*/) {}
  /// The next cycle before which the machine must call at_edge(); kNever: none.
  virtual base::Cycle next_edge() const = 0;
  /// All cycles before `cycle` are over.
  virtual void at_edge(base::Cycle cycle) = 0;
  /// Cores executed markers in the cycle before `cycle`: this many begin markers, then this many end ones. All
  /// cycles before `cycle` are over.
  virtual void at_markers(base::Cycle /*cycle*/, unsigned /*begins*/, unsigned /*ends*/) {}
  /// The run is over, all cycles before `cycle`.
  virtual void end(base::Cycle /*cycle*/) {}
};

}  // namespace spica::soc
