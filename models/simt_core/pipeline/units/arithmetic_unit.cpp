// SPDX-License-Identifier: Apache-2.0
#include "models/simt_core/pipeline/units/arithmetic_unit.h"

#include "models/base/hot_inline.h"

namespace spica::simt_core {

SPICA_HOT_INLINE void ArithmeticUnit::complete(unsigned warp, const Dispatched& entry, base::Cycle now,
                                               base::Cycle taken) {
  const Decoded& instruction = *entry.instruction;
  stages_.commit.complete(now, warp, instruction, entry.pc, entry.lanes, taken + instruction.delay,
                          instruction.unlocks_fetch);
}

/// The unit will take the instruction as soon as it is ready: nothing can come in between.
SPICA_HOT_INLINE void ArithmeticUnit::pass(unsigned warp, const Dispatched& entry, base::Cycle now) {
  stages_.core.stats.count_dispatch(entry.ready);
  buffers_.pass(warp);
  buffers_.hold_until(entry.ready + entry.instruction->interval);
  complete(warp, entry, now, entry.ready);
}

SPICA_HOT_INLINE void ArithmeticUnit::dispatch(const Candidate& c) {
  const bool alone = alone_.instruction == nullptr;
  if (!alone) {
    buffers_.push(alone_warp_, alone_);
    alone_.instruction = nullptr;
  }
  if (!alone || !skips_buffers_ || !buffers_.takes_at_once(c.now + operand_latency_) ||
      !stages_.commit.all_scheduled(c.warp) || stages_.core.every_cycle_counts()) {
    push(c);
    return;
  }
  if (c.last) {
    pass(c.warp, dispatched(c), c.now);
    return;
  }
  alone_ = dispatched(c);
  alone_warp_ = c.warp;
  ask_for_end_of_issue();
}

bool ArithmeticUnit::offer(const Candidate& c) {
  if (!has_room(c.warp)) return false;
  if (c.instruction.plain) stages_.core.executor.execute_plain(at(c), c.instruction);
  else if (!execute(c)) return false;
  dispatch(c);
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

void ArithmeticUnit::end_of_issue() {
  if (alone_.instruction == nullptr) return;
  pass(alone_warp_, alone_, stages_.core.now());
  alone_.instruction = nullptr;
}

base::Cycle ArithmeticUnit::take(unsigned warp, const Dispatched& entry, base::Cycle now) {
  complete(warp, entry, now, now);
  return entry.instruction->interval;
}

}  // namespace spica::simt_core
