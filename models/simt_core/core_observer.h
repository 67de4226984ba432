// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace spica::simt_core {

class SimtCore;

/// Somebody outside of the machine who wants to know when a core executes a marker instruction (facts 1.5).
/// Called while the cycle is being executed.
class CoreObserver {
 public:
  virtual ~CoreObserver() = default;
  virtual void on_marker(const SimtCore& core, bool begin) = 0;
};

}  // namespace spica::simt_core
