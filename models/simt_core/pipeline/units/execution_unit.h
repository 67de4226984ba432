// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <iosfwd>

#include "models/base/bits.h"
#include "models/base/hot_inline.h"
#include "models/base/types.h"
#include "models/simt_core/pipeline/commit_stage.h"
#include "models/simt_core/pipeline/context.h"
#include "models/simt_core/pipeline/decoded.h"
#include "models/simt_core/pipeline/issue_account.h"
#include "models/simt_core/pipeline/operand_paths.h"
#include "models/simt_core/pipeline/scoreboard.h"
#include "models/simt_core/pipeline/units/operand_lines.h"
#include "models/simt_core/pipeline/units/pending_accesses.h"
#include "models/simt_core/pipeline/warp_flow.h"

namespace spica::base {
class Checkpoint;
}

namespace spica::simt_core {

/// The stages that an execution unit uses.
struct Stages {
  Context& core;
  Scoreboard& scoreboard;
  CommitStage& commit;
  WarpFlow& flow;
  IssueAccount& account;
  PendingAccesses& accesses;
  OperandLines& lines;
  OperandPaths& paths;

  /// True if the instruction must not issue yet because memory accesses of its warp are not complete, and others may
  /// continue because of it.
  bool waits_for_memory(const Executor::At& at, const isa::Instruction& instruction) const {
    return core.params.barrier_waits_for_memory && core.executor.releases_others(at, instruction) &&
           accesses.waits_for(at.warp);
  }
};

/// The next instruction of a warp, at the head of its buffer.
struct Candidate {
  unsigned warp;
  base::Cycle now;  // of the offer
  std::uint32_t mask;  // mask of active lanes
  unsigned lanes;  // their number
  bool last;  // no other instruction is offered in this cycle
  std::uint32_t pc;
  const Decoded& instruction;
};

/// The first cycle in which some unit must act; never later than the due() of any.
struct Agenda {
  base::Cycle first = base::kNever;
  std::uint32_t planned = 0;  // units with a planned cycle, by number
  std::uint32_t watching = 0;  // units that need every tick of the core
  std::uint32_t asked = 0;  // units that need end_of_issue() of this cycle
};

/// A unit of the core that executes instructions: the dispatcher offers them, the unit reports when it is due, works in
/// tick(), and passes results to the commit stage.
class ExecutionUnit {
 public:
  /// `number`: of this unit in the core.
  ExecutionUnit(const Stages& stages, Agenda& agenda, unsigned number)
      : stages_(stages), bit_(1u << number), agenda_(agenda) {}
  virtual ~ExecutionUnit() = default;
  ExecutionUnit(const ExecutionUnit&) = delete;
  ExecutionUnit& operator=(const ExecutionUnit&) = delete;

  /// Offers an instruction whose registers have no pending write (a tensor unit checks them itself). True: it has
  /// issued and leaves the instruction buffer. False: it has not, or not completely, and the scoreboard has the reason.
  virtual bool offer(const Candidate& candidate) = 0;
  /// Called after all instructions of this cycle have been offered, if the unit has requested it.
  virtual void end_of_issue() {}
  /// The next cycle in which it must act; kNever: none known.
  base::Cycle due() const { return due_; }
  /// One cycle, due() or later.
  virtual void tick(base::Cycle now) = 0;
  /// True if nothing is in flight in it.
  virtual bool done() const = 0;
  virtual void reset() { due_ = base::kNever; }
  /// base::Block::objects() and timing() of this unit.
  virtual void add_to(base::Checkpoint&) {}
  virtual void timing(base::Checkpoint& checkpoint);
  virtual void dump_state(std::ostream&) const {}

 protected:
  SPICA_HOT_INLINE void plan(base::Cycle due) {
    due_ = std::min(due_, due);
    agenda_.first = std::min(agenda_.first, due);
    agenda_.planned |= bit_;
  }
  void replan(base::Cycle due) {
    due_ = due;
    agenda_.first = std::min(agenda_.first, due);
    agenda_.planned = due == base::kNever ? agenda_.planned & ~bit_ : agenda_.planned | bit_;
  }
  /// Until stop_watching(): a tick in every cycle in which the core acts.
  void watch() {
    replan(base::kNever);
    due_ = 0;
    agenda_.planned |= bit_;
    agenda_.watching |= bit_;
  }
  void stop_watching() { agenda_.watching &= ~bit_; }
  void ask_for_end_of_issue() { agenda_.asked |= bit_; }
  /// Issues the candidate as a whole: records its result (dependents wait for `producer`), counts it and notifies
  /// observers.
  void issue(const Candidate& c, IssueReason producer) {
    if (c.instruction.written != 0)
      stages_.scoreboard.produce(c.warp, c.instruction.rd, producer);  // one row
    stages_.scoreboard.issue(c.warp, c.instruction.written);
    stages_.account.issue(c.warp, c.pc);
    stages_.core.stats.count_issue(c.instruction.unit, c.lanes, c.instruction.rows_read,
                                   c.instruction.written != 0);
    if (stages_.core.watchers.any()) notify_issue(c);
  }
  void notify_issue(const Candidate& c, const protocol::FragmentAccess* fragment = nullptr) const {
    const Context& core = stages_.core;
    const protocol::Origin origin = core.identity.origin(c.warp, c.pc, c.mask);
    core.watchers.issue({c.now, origin, c.instruction, core.state[c.warp].registers, fragment}, c.lanes);
  }
  Executor::At at(const Candidate& c) const { return {c.warp, c.pc, c.mask, c.now}; }
  /// Refuses the candidate, which has no effect: its warp's trap handler is entered, or the fault is reported.
  bool refuse(const Candidate& c, const GuestError& error) {
    return stages_.flow.take(stages_.core.executor.refuse(error, at(c), c.instruction), c.warp, c.pc);
  }
  /// The next stage has room for the warp again.
  void wake_for_room(unsigned w) {
    if (!stages_.scoreboard.waits_for_others(w)) return;
    stages_.scoreboard.wake(w);
    stages_.core.core.wake_now();
  }
  /// True if the candidate must wait for the memory accesses of its warp; it is then retried when they are complete.
  bool drains(unsigned w) {
    if (!stages_.accesses.waits_for(w)) return false;
    stages_.scoreboard.block(w, IssueReason::kDrain);
    return true;
  }

  const Stages stages_;
  const std::uint32_t bit_;  // its bit in the masks of the agenda
  base::Cycle due_ = base::kNever;

 private:
  Agenda& agenda_;
};

}  // namespace spica::simt_core
