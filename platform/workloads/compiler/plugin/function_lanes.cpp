// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/compiler/plugin/function_lanes.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Transforms/Scalar/Scalarizer.h>

#include "platform/workloads/compiler/plugin/branchless.h"
#include "platform/workloads/compiler/plugin/lane_loops.h"
#include "platform/workloads/compiler/plugin/messages.h"
#include "platform/workloads/compiler/plugin/splits.h"
#include "platform/workloads/compiler/plugin/turns.h"

namespace spica::simt {

using namespace llvm;

/// There are no vector registers; a choice of a vector would become branches.
void FunctionLanes::take_vectors_apart() {
  if (none_of(instructions(function_), [](const Instruction& one) { return one.getType()->isVectorTy(); }))
    return;
  analyses_.invalidate(function_, ScalarizerPass().run(function_, analyses_));
}

void FunctionLanes::insert_lane_loops() {
  const Uniformity uniformity(function_, facts_);
  for (Instruction* instruction : one_by_one(function_, uniformity)) {
    const auto* call = dyn_cast<CallBase>(instruction);
    if (call != nullptr)
      if (const StringRef need = facts_.needs_all_lanes(*call->getFunctionType()); !need.empty())
        report_error(function_, own_place(instruction->getDebugLoc()),
                     "lanes call this function one by one, as the pointer may differ because of " +
                         cause_of(call->getCalledOperandUse(), uniformity) + ", and it may be one with " +
                         need.str() + ", which needs all lanes of a warp");
    remark(*instruction->getParent(), own_place(instruction->getDebugLoc()),
           call == nullptr ? std::string("lanes do this atomic operation one by one")
                           : "lanes call this function one by one: the pointer may differ because of " +
                                 cause_of(call->getCalledOperandUse(), uniformity));
    insert_lane_loop(*instruction);
    ++lane_loops_;
  }
  if (lane_loops_ != 0) analyses_.invalidate(function_, PreservedAnalyses::none());
}

bool FunctionLanes::is_refused(const Shape& shape, const Structurer& structurer) {
  if (!shape.problem.empty()) {
    report_error(function_, own_place(shape.problem_at),
                 "lanes may diverge here and cannot reconverge: " + shape.problem);
    return true;
  }
  if (!shape.is_empty() && function_.hasFnAttribute(Attribute::OptimizeNone)) {
    report_error(function_, DebugLoc(),
                 "a function in which lanes may diverge cannot be compiled without optimisation "
                 "(optnone): use -Og");
    return true;
  }
  if (!structurer.problem().empty())
    remark(function_.getEntryBlock(), own_place(structurer.problem_at()),
           "the function's control flow is rearranged because of " + structurer.problem());
  const OneLaneParts parts(function_, analyses_.getResult<DominatorTreeAnalysis>(function_), facts_);
  return report_collectives(function_, shape, structurer.uniformity(), facts_, parts);
}

void FunctionLanes::report_impossible(const Uniformity& uniformity) {
  for (const auto& [instruction, what] : remove_hidden_branches(function_, uniformity, replaced_))
    report_error(function_, own_place(instruction->getDebugLoc()),
                 what.str() +
                     " is not supported for values that differ between lanes; use simt_each_lane(), or "
                     "simt_uniform() if all lanes have the same value");
}

void FunctionLanes::run() {
  take_vectors_apart();
  give_turns(function_, analyses_, facts_);
  insert_lane_loops();
  Structurer structurer(function_, analyses_, facts_);
  Shape shape = structurer.run();
  if (is_refused(shape, structurer)) return;
  remark_shape(shape, structurer.uniformity());
  report_impossible(structurer.uniformity());
  const SplitCounts counts = insert_splits(shape, analyses_.getResult<DominatorTreeAnalysis>(function_));
  analyses_.invalidate(function_, PreservedAnalyses::none());
  const std::string splits = std::to_string(counts.splits);
  remark_analysis(function_, splits + " split, " + splits + " join, " + std::to_string(counts.preds) +
                                 " pred, " + std::to_string(lane_loops_) + " one by one, " +
                                 std::to_string(replaced_) + " replaced");
  if (verifyFunction(function_, &errs()))
    report_fatal_error("spica: invalid code after the insertion of split and join");
}

}  // namespace spica::simt
