// SPDX-License-Identifier: Apache-2.0
// Messages on the places where lanes diverge.
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/Path.h>

#include <algorithm>

#include "platform/workloads/compiler/plugin/messages.h"
#include "platform/workloads/compiler/plugin/simt_asm.h"

namespace spica::simt {

using namespace llvm;

namespace {

cl::opt<bool> is_opencl(
    "spica-opencl",
    cl::desc("the program is OpenCL C: lanes agree where it has a barrier, so that doubts are remarks"));

BranchInst& last_branch(const Loop& loop) { return *cast<BranchInst>(loop.getLoopLatch()->getTerminator()); }

std::string place_text(const DebugLoc& place) {
  const DebugLoc own = own_place(place);
  if (!own) return "a branch";
  return "the branch at " + sys::path::filename(own->getFilename()).str() + ":" +
         std::to_string(own.getLine());
}

class CollectiveCheck {
 public:
  CollectiveCheck(const Function& function, const Shape& shape, const Uniformity& uniformity,
                  const ModuleFacts& facts, const OneLaneParts& parts)
      : function_(function), shape_(shape), uniformity_(uniformity), facts_(facts), parts_(parts) {}

  bool run() {
    for (const DivergentIf& one : shape_.ifs)
      for (BasicBlock* block : one.sides) check(*block, *one.branch);
    for (const Loop* loop : shape_.loops)
      for (BasicBlock* block : loop->blocks()) check(*block, last_branch(*loop));
    return !is_opencl && !reported_.empty();
  }

 private:
  StringRef name_of(const Instruction& instruction) const {
    StringRef name = collective_name(instruction);
    const auto* call = dyn_cast<CallBase>(&instruction);
    if (name.empty() && call != nullptr && call->getCalledFunction() != nullptr)
      name = facts_.needs_all_lanes(*call->getCalledFunction());
    if (name.empty() && asm_kind(instruction) == AsmKind::kMatrixCommand &&
        !parts_.is_for_lane_0(*instruction.getParent()))
      name = "a command to the matrix unit (outside of `if (simt_lane() == 0)`)";
    return name;
  }

  void check(BasicBlock& block, const BranchInst& branch) {
    for (const Instruction& instruction : block) {
      const StringRef name = name_of(instruction);
      if (name.empty() || !reported_.insert(&instruction).second) continue;
      const DebugLoc place = own_place(instruction.getDebugLoc());
      const auto place_key = std::pair<const DILocation*, StringRef>(place.get(), name);
      if (is_contained(places_, place_key)) continue;
      places_.push_back(place_key);
      const std::string text =
          name.str() + " needs all lanes of a warp, and here they may have diverged at " +
          place_text(branch.getDebugLoc()) + ", because of " + cause_of(branch.getOperandUse(0), uniformity_);
      if (is_opencl)  // its rule is that all work items agree
        remark(block, place, text);
      else report_error(function_, place, text + "; if all lanes agree there, mark it with simt_uniform()");
    }
  }

  const Function& function_;
  const Shape& shape_;
  const Uniformity& uniformity_;
  const ModuleFacts& facts_;
  const OneLaneParts& parts_;
  SmallPtrSet<const Instruction*, 8> reported_;
  std::vector<std::pair<const DILocation*, StringRef>> places_;
};

}  // namespace

void remark_shape(const Shape& shape, const Uniformity& uniformity) {
  for (const DivergentIf& one : shape.ifs)
    remark(
        *one.branch->getParent(), own_place(one.branch->getDebugLoc()),
        "lanes may diverge at this branch because of " + cause_of(one.branch->getOperandUse(0), uniformity));
  for (const Loop* loop : shape.loops)
    remark(*loop->getHeader(), own_place(last_branch(*loop).getDebugLoc()),
           "lanes may leave this loop at different times because of " +
               cause_of(last_branch(*loop).getOperandUse(0), uniformity));
}

bool report_collectives(const Function& function, const Shape& shape, const Uniformity& uniformity,
                        const ModuleFacts& facts, const OneLaneParts& parts) {
  return CollectiveCheck(function, shape, uniformity, facts, parts).run();
}

}  // namespace spica::simt
