// SPDX-License-Identifier: Apache-2.0
#include "models/isa/execute.h"
#include "models/simt_core/fast/slice.h"

namespace spica::simt_core::fast {

const Loops& loops() {
  static const Loops plain{[](Slice& s) { while (s.step(s)) {} }, [](Slice& s) { while (s.step(s)) {} }};
  return plain;
}

}  // namespace spica::simt_core::fast
