// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/compiler/plugin/uniformity.h"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/Analysis/TargetTransformInfoImpl.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PassInstrumentation.h>

#include "platform/workloads/compiler/plugin/joins.h"
#include "platform/workloads/compiler/plugin/module_facts.h"
#include "platform/workloads/compiler/plugin/simt_asm.h"

namespace spica::simt {

using namespace llvm;

namespace {

/// Intrinsic functions that say something about the lane itself: its stack, its registers, the time when it reads them.
bool differs_by_lane(Intrinsic::ID intrinsic) {
  switch (intrinsic) {
    case Intrinsic::frameaddress:
    case Intrinsic::addressofreturnaddress:
    case Intrinsic::sponentry:
    case Intrinsic::stacksave:
    case Intrinsic::readcyclecounter:
    case Intrinsic::readsteadycounter:
    case Intrinsic::read_register:
    case Intrinsic::read_volatile_register: return true;
    default: return false;
  }
}

/// The argument block of a program is volatile only so that no pass relies on the values it was compiled with.
bool is_argument_block(const Value& address) {
  SmallVector<const Value*, 4> objects;
  getUnderlyingObjects(&address, objects);
  return all_of(objects, [](const Value* object) {
    const auto* variable = dyn_cast<GlobalVariable>(object);
    return variable != nullptr && variable->getSection() == ".args";
  });
}

/// Lanes that read a word that others write may do so at different times.
bool is_divergent_load(const LoadInst& load) {
  return !load.isSimple() && (load.isAtomic() || !is_argument_block(*load.getPointerOperand()));
}

bool has_undefined_input(const PHINode& phi) {
  return any_of(phi.incoming_values(), [](const Value* value) { return isa<UndefValue>(value); });
}

/// What LLVM asks about a machine with lanes; its RISC-V target has none.
class LaneTarget : public TargetTransformInfoImplCRTPBase<LaneTarget> {
 public:
  LaneTarget(const DataLayout& layout, const ModuleFacts& facts,
             const DenseSet<const Instruction*>& overlooked)
      : TargetTransformInfoImplCRTPBase<LaneTarget>(layout), facts_(&facts), overlooked_(&overlooked) {}

  bool hasBranchDivergence(const Function*) const { return true; }
  bool isAlwaysUniform(const Value* value) const { return asm_kind(*value) == AsmKind::kUniform; }
  bool isSourceOfDivergence(const Value* value) const {
    if (const auto* one = dyn_cast<Instruction>(value); one != nullptr && overlooked_->contains(one))
      return true;
    if (const auto* argument = dyn_cast<Argument>(value)) return !facts_->is_uniform(*argument);
    if (const auto* load = dyn_cast<LoadInst>(value)) return is_divergent_load(*load);
    // What name_undefined() names: the register is whatever was in it, which differs between lanes.
    if (const auto* freeze = dyn_cast<FreezeInst>(value)) return isa<UndefValue>(freeze->getOperand(0));
    if (const auto* intrinsic = dyn_cast<IntrinsicInst>(value))
      return differs_by_lane(intrinsic->getIntrinsicID());
    if (const auto* call = dyn_cast<CallBase>(value)) return is_divergent_call(*call);
    return isa<AllocaInst>(value) || isa<AtomicRMWInst>(value) || isa<AtomicCmpXchgInst>(value) ||
           isa<VAArgInst>(value);
  }

 private:
  bool is_divergent_call(const CallBase& call) const {
    const AsmKind kind = asm_kind(call);
    if (kind == AsmKind::kNotAsm) return !facts_->has_uniform_result(call);
    return kind != AsmKind::kUniform && kind != AsmKind::kPure;
  }

  const ModuleFacts* facts_;
  const DenseSet<const Instruction*>* overlooked_;
};

}  // namespace

void name_undefined(Function& function) {
  for (BasicBlock& block : function)
    for (PHINode& phi : block.phis())
      for (unsigned i = 0; i < phi.getNumIncomingValues(); ++i) {
        if (!isa<UndefValue>(phi.getIncomingValue(i))) continue;
        BasicBlock* from = phi.getIncomingBlock(i);
        const auto first = static_cast<unsigned>(phi.getBasicBlockIndex(from));
        // Several ways of a switch come with one value.
        phi.setIncomingValue(
            i, first < i ? phi.getIncomingValue(first)
                         : new FreezeInst(phi.getIncomingValue(i), "", from->getTerminator()->getIterator()));
      }
}

Uniformity::Uniformity(Function& function, const ModuleFacts& facts)
    : function_(function), info_(analyse(facts)) {
  while (add_overlooked()) {
    analyses_.clear();
    info_ = analyse(facts);
  }
}

UniformityInfo Uniformity::analyse(const ModuleFacts& facts) {
  analyses_.registerPass([] { return PassInstrumentationAnalysis(); });
  analyses_.registerPass([] { return DominatorTreeAnalysis(); });
  analyses_.registerPass([] { return CycleAnalysis(); });
  analyses_.registerPass([this, &facts] {
    return TargetIRAnalysis([this, &facts](const Function& of) {
      return TargetTransformInfo(LaneTarget(of.getDataLayout(), facts, overlooked_));
    });
  });
  return UniformityInfoAnalysis().run(function_, analyses_);
}

bool Uniformity::add(const Instruction& instruction) {
  const bool is_known = instruction.isTerminator() ? info_.hasDivergentTerminator(*instruction.getParent())
                                                   : info_.isDivergent(&instruction);
  return !is_known && asm_kind(instruction) != AsmKind::kUniform && overlooked_.insert(&instruction).second;
}

/// Behind a cycle that lanes leave at different times, each has what it left with.
bool Uniformity::add_users(const Cycle& cycle) {
  bool is_changed = false;
  for (const BasicBlock* block : cycle.blocks())
    for (const Instruction& one : *block) {
      if (asm_kind(one) == AsmKind::kUniform) continue;
      for (const User* user : one.users())
        if (const auto* to = cast<Instruction>(user); !cycle.contains(to->getParent()))
          is_changed |= add(*to);
    }
  return is_changed;
}

bool Uniformity::add_overlooked() {
  const auto& cycles = analyses_.getResult<CycleAnalysis>(function_);
  DenseMap<const BasicBlock*, unsigned> order;
  for (const BasicBlock* block : ReversePostOrderTraversal<const Function*>(&function_))
    order.insert({block, order.size()});
  left_apart_.clear();
  bool is_changed = false;
  for (const BasicBlock& block : function_) {
    if (!order.contains(&block) || !is_divergent_branch(block)) continue;
    const Joins joins(block, cycles, order);
    for (const BasicBlock* join : joins.blocks())
      for (const PHINode& phi : join->phis())
        if (has_undefined_input(phi) || !phi.hasConstantOrUndefValue()) is_changed |= add(phi);
    for (const Cycle* cycle : joins.left_apart()) {
      left_apart_.insert(cycle);
      is_changed |= add_users(*cycle);
    }
  }
  return is_changed;
}

bool Uniformity::is_divergent(const Use& use) const {
  if (info_.isDivergentUse(use)) return true;
  const auto* from = dyn_cast<Instruction>(use.get());
  const auto* to = dyn_cast<Instruction>(use.getUser());
  return from != nullptr && to != nullptr && asm_kind(*from) != AsmKind::kUniform &&
         any_of(left_apart_, [&](const Cycle* cycle) {
           return cycle->contains(from->getParent()) && !cycle->contains(to->getParent());
         });
}

bool Uniformity::is_divergent_branch(const BasicBlock& block) const {
  return block.getTerminator()->getNumSuccessors() > 1 && info_.hasDivergentTerminator(block);
}

}  // namespace spica::simt
