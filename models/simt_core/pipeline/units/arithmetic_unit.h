// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/simt_core/pipeline/units/buffered_unit.h"

namespace spica::simt_core {

/// An integer unit (with branches) or a floating-point unit. Results are computed at issue; dependents wait until the
/// latency of the instruction has passed.
///
/// Source   vortex core/VX_alu_unit.sv, core/VX_fpu_unit.sv
class ArithmeticUnit final : public BufferedUnit {
 public:
  using BufferedUnit::BufferedUnit;

  bool offer(const Candidate& c) override;

 private:
  base::Cycle take(unsigned warp, const Dispatched& entry, base::Cycle now, base::Cycle taken) override;
  bool execute(const Candidate& c);
};

}  // namespace spica::simt_core
