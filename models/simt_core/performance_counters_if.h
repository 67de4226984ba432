// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace spica::simt_core {

class PerformanceCounters;

/// A core whose owner connects the performance counters of class 2, those of the memory system.
class PerformanceCountersIf {
 public:
  virtual ~PerformanceCountersIf() = default;

  virtual PerformanceCounters& performance() = 0;
};

}  // namespace spica::simt_core
