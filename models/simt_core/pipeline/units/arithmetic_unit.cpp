// SPDX-License-Identifier: Apache-2.0
#include "models/simt_core/pipeline/units/arithmetic_unit.h"

#include "models/base/hot_inline.h"

namespace spica::simt_core {

SPICA_HOT_INLINE base::Cycle ArithmeticUnit::take(unsigned warp, const Dispatched& entry, base::Cycle now,
                                                  base::Cycle taken) {
  const Decoded& instruction = *entry.instruction;
  stages_.commit.complete(now, warp, instruction, entry.pc, entry.lanes, taken + instruction.delay, false);
  if (instruction.unlocks_fetch)
    stages_.flow.resolve_at(now, taken + stages_.core.params.branch_latency, warp);
  return instruction.interval;
}

bool ArithmeticUnit::offer(const Candidate& c) {
  if (!has_room(c)) return false;
  if (c.instruction.plain) stages_.core.executor.execute_plain(at(c), c.instruction);
  else if (!execute(c)) return false;
  dispatch(c, true);
  issue(c, c.instruction.producer);
  return true;
}

/// Branches, whatever may be refused, and markers. False: it was refused, or waits.
bool ArithmeticUnit::execute(const Candidate& c) {
  Executor& executor = stages_.core.executor;
  // The report of an overflow reads the stack: it waits until the warp's stores are in memory.
  if (__builtin_expect(executor.overflows_stack(at(c), c.instruction), 0) && drains(c.warp)) return false;
  return stages_.flow.take(executor.execute(at(c), c.instruction), c.warp, c.pc);
}

}  // namespace spica::simt_core
