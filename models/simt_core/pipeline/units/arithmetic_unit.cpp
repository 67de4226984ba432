// SPDX-License-Identifier: Apache-2.0
#include "models/simt_core/pipeline/units/arithmetic_unit.h"

namespace spica::simt_core {

bool ArithmeticUnit::offer(const Candidate& c) {
  if (!has_room(c.warp)) return false;
  if (c.instruction.plain) stages_.core.executor.execute_plain(at(c), c.instruction);
  else if (!execute(c)) return false;
  dispatch(c);
  if (c.instruction.written != 0)  // one row
    stages_.scoreboard.produce(c.warp, c.instruction.rd, c.instruction.producer);
  issue(c);
  return true;
}

/// Branches, whatever may be refused, and markers. False: it was refused, or waits.
bool ArithmeticUnit::execute(const Candidate& c) {
  Executor& executor = stages_.core.executor;
  // The report of an overflow reads the stack: it waits until the warp's stores are in memory.
  if (__builtin_expect(executor.overflows_stack(at(c), c.instruction), 0) && drains(c.warp)) return false;
  return stages_.flow.take(executor.execute(at(c), c.instruction), c.warp, c.pc);
}

inline void ArithmeticUnit::dispatch(const Candidate& c) {
  if (alone_.instruction != nullptr) {
    buffers_.push(alone_warp_, alone_);
    alone_.instruction = nullptr;
  } else if (skips_buffers_ && buffers_.takes_at_once(c.now + operand_latency_) &&
             stages_.commit.all_scheduled(c.warp) && !stages_.core.every_cycle_counts()) {
    alone_ = dispatched(c);
    alone_warp_ = c.warp;
    ask_for_end_of_issue();
    return;
  }
  push(c);
}

void ArithmeticUnit::end_of_issue() {
  if (alone_.instruction == nullptr) return;
  stages_.core.stats.count_dispatch(alone_.ready);
  buffers_.pass(alone_warp_);
  buffers_.hold_until(alone_.ready + take(alone_warp_, alone_, alone_.ready));
  alone_.instruction = nullptr;
}

base::Cycle ArithmeticUnit::take(unsigned warp, const Dispatched& entry, base::Cycle now) {
  const Decoded& instruction = *entry.instruction;
  stages_.commit.complete(stages_.core.now(), warp, instruction, entry.pc, entry.lanes,
                          now + instruction.delay, instruction.unlocks_fetch);
  return instruction.interval;
}

}  // namespace spica::simt_core
