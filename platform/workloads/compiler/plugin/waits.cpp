// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/compiler/plugin/waits.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Support/CommandLine.h>

#include "platform/workloads/compiler/plugin/shared_access.h"
#include "platform/workloads/compiler/plugin/simt_asm.h"

namespace spica::simt {

using namespace llvm;

namespace {

cl::opt<bool> all_loops(
    "spica-turns-in-all-loops", cl::Hidden,
    cl::desc("for tests: lanes take turns in each loop that they leave at different times"));

using Blocks = SmallPtrSet<BasicBlock*, 32>;

/// The words by which lanes shuffle values (spica/simt.h).
bool is_exchange(const Value* address) {
  const auto* variable = dyn_cast_or_null<GlobalVariable>(getUnderlyingObject(address));
  return variable != nullptr && variable->getName() == "_ZN5spica6detail8exchangeE";
}

/// What decides when lanes leave a loop, as far as it is read from memory in the loop.
struct Reason {
  SharedAccess access;
  bool is_sure = false;  // lanes that read the same word may still leave at different times
};

class ReasonFinder {
 public:
  ReasonFinder(const Loop& loop, const Uniformity& uniformity, const OneLaneParts& parts,
               const SharedAccesses& accesses)
      : loop_(loop), uniformity_(uniformity), parts_(parts), accesses_(accesses) {}

  Reason run() {
    bool parts_at_exit = false;
    for (const BasicBlock* block : loop_.blocks()) {
      if (!uniformity_.is_divergent_branch(*block) || parts_.contains(*block)) continue;
      parts_at_exit |= loop_.isLoopExiting(block);
      for (const Use& operand : block->getTerminator()->operands()) add(operand);
    }
    if (!parts_at_exit) return {};
    while (!todo_.empty()) visit(*todo_.pop_back_val());
    reason_.is_sure |= reads_ && differs_;
    if (all_loops) reason_.is_sure = reason_.access.reads = reason_.access.is_anywhere = true;
    return reason_;
  }

 private:
  void add(const Use& use) {
    const Value* value = use.get();
    if (isa<BasicBlock>(value) || isa<Constant>(value)) return;
    const auto* inside = dyn_cast<Instruction>(value);
    if (inside == nullptr || !loop_.contains(inside)) differs_ |= uniformity_.is_divergent(use);
    else if (seen_.insert(inside).second) todo_.push_back(inside);
  }

  void visit(const Instruction& one) {
    const SharedAccess access = accesses_.of(one);
    if (access.reads && !tries_again_with_what_it_read(one)) {
      reason_.access.add(access);
      if (access.is_load) reads_ = true;
      else reason_.is_sure = true;
    }
    // What a function left in a local variable.
    if (const auto* load = dyn_cast<LoadInst>(&one);
        load != nullptr && isa<AllocaInst>(getUnderlyingObject(load->getPointerOperand())))
      for (const BasicBlock* block : loop_.blocks())
        for (const Instruction& other : *block)
          if (isa<CallInst>(other) && !isa<IntrinsicInst>(other) && seen_.insert(&other).second)
            todo_.push_back(&other);
    for (const Use& operand : one.operands()) add(operand);
  }

  /// Compare and exchange whose old value was read in the loop: when it fails, another lane has succeeded, and none
  /// waits.
  bool tries_again_with_what_it_read(const Instruction& one) const {
    const auto* exchange = dyn_cast<AtomicCmpXchgInst>(&one);
    if (exchange == nullptr) return false;
    SmallVector<const Value*, 8> todo = {exchange->getCompareOperand()};
    SmallPtrSet<const Value*, 8> seen;
    while (!todo.empty()) {
      const auto* from = dyn_cast<Instruction>(todo.pop_back_val());
      if (from == nullptr || !loop_.contains(from) || !seen.insert(from).second) continue;
      if (from->mayReadFromMemory()) return true;
      todo.append(from->value_op_begin(), from->value_op_end());
    }
    return false;
  }

  const Loop& loop_;
  const Uniformity& uniformity_;
  const OneLaneParts& parts_;
  const SharedAccesses& accesses_;
  Reason reason_;
  bool reads_ = false, differs_ = false;
  SmallPtrSet<const Instruction*, 32> seen_;
  SmallVector<const Instruction*, 16> todo_;
};

class WaitFinder {
 public:
  WaitFinder(const Uniformity& uniformity, const LoopInfo& loops, const PostDominatorTree& ends,
             const OneLaneParts& parts, const ModuleFacts& facts)
      : uniformity_(uniformity), ends_(ends), parts_(parts), facts_(facts), accesses_(facts.accesses()) {
    for (Loop* loop : loops.getLoopsInPreorder()) {
      const Reason reason = ReasonFinder(*loop, uniformity_, parts_, accesses_).run();
      if (reason.access.reads) waiting_.push_back({loop, reason});
    }
  }

  std::vector<Wait> run() {
    for (const Waiting& one : waiting_) {
      if (!one.reason.is_sure) continue;
      Wait wait;
      wait.headers.push_back(one.loop->getHeader());
      wait.end = end_of(one);
      if (wait.end == nullptr) continue;
      merge(std::move(wait));
    }
    return std::move(waits_);
  }

 private:
  struct Waiting {
    Loop* loop;
    Reason reason;
  };

  bool is_cut(const BasicBlock& block) const { return needs_others(block.front(), facts_); }
  BasicBlock* common_end(BasicBlock* one, BasicBlock* other) const {
    return one == nullptr || other == nullptr ? nullptr : ends_.findNearestCommonDominator(one, other);
  }

  /// Where all lanes come that have left the loop and have written what others in it may wait for. Null: none writes
  /// that, or there is no such place.
  BasicBlock* end_of(const Waiting& one) const {
    SmallVector<BasicBlock*, 16> todo;
    one.loop->getExitBlocks(todo);
    BasicBlock* end = todo.front();
    for (BasicBlock* block : todo) end = common_end(end, block);
    Blocks seen;
    bool writes = false;
    while (!todo.empty()) {
      BasicBlock* block = todo.pop_back_val();
      if (block == one.loop->getHeader() || is_cut(*block) || !seen.insert(block).second) continue;
      todo.append(succ_begin(block), succ_end(block));
      const bool is_written = any_of(*block, [&](const Instruction& instruction) {
        const SharedAccess access = accesses_.of(instruction);
        return access.writes && access.may_meet(one.reason.access);
      });
      if (!is_written) continue;
      writes = true;
      for (BasicBlock* next : successors(block)) end = common_end(end, next);
    }
    return writes || all_loops ? end : nullptr;
  }

  /// The blocks of a wait. False: lanes need each other there.
  bool find_blocks(Wait& wait) const {
    wait.blocks.clear();
    if (is_contained(wait.headers, wait.end)) return false;
    SmallVector<BasicBlock*, 16> todo(wait.headers.begin(), wait.headers.end());
    while (!todo.empty()) {
      BasicBlock* block = todo.pop_back_val();
      if (block == wait.end || !wait.blocks.insert(block).second) continue;
      if (is_cut(*block)) return false;
      todo.append(succ_begin(block), succ_end(block));
    }
    return true;
  }

  /// Also adds the loops in which lanes may wait: those that begin in the blocks of the wait, and those around its
  /// headers.
  /// Returns whether there was one.
  bool add_others(Wait& wait) const {
    for (const Waiting& one : waiting_) {
      BasicBlock* header = one.loop->getHeader();
      if (is_contained(wait.headers, header)) continue;
      const bool is_around = one.reason.is_sure && any_of(wait.headers, [&](BasicBlock* inner) {
                               return one.loop->contains(inner);
                             });
      if (!is_around && !wait.blocks.contains(header)) continue;
      wait.headers.push_back(header);
      SmallVector<BasicBlock*, 4> exits;
      one.loop->getExitBlocks(exits);
      for (BasicBlock* exit : exits)
        if (!wait.blocks.contains(exit) || is_around) wait.end = common_end(wait.end, exit);
      if (BasicBlock* end = one.reason.is_sure ? end_of(one) : nullptr) wait.end = common_end(wait.end, end);
      return true;
    }
    return false;
  }

  void merge(Wait wait) {
    if (any_of(waits_, [&](const Wait& other) { return is_contained(other.headers, wait.headers.front()); }))
      return;
    for (bool is_changed = true; is_changed;) {
      if (wait.end == nullptr || !find_blocks(wait)) return;
      is_changed = add_others(wait);
      if (is_changed) continue;
      const auto other = find_if(waits_, [&](const Wait& one) {
        return any_of(one.blocks, [&](BasicBlock* block) { return wait.blocks.contains(block); });
      });
      if (other == waits_.end()) break;
      for (BasicBlock* header : other->headers)
        if (!is_contained(wait.headers, header)) wait.headers.push_back(header);
      wait.end = common_end(wait.end, other->end);
      waits_.erase(other);
      is_changed = true;
    }
    waits_.push_back(std::move(wait));
  }

  const Uniformity& uniformity_;
  const PostDominatorTree& ends_;
  const OneLaneParts& parts_;
  const ModuleFacts& facts_;
  const SharedAccesses& accesses_;
  std::vector<Waiting> waiting_;
  std::vector<Wait> waits_;
};

}  // namespace

bool takes_turns_in_all_loops() { return all_loops; }

bool needs_others(const Instruction& instruction, const ModuleFacts& facts) {
  if (!collective_name(instruction).empty() || asm_kind(instruction) == AsmKind::kMatrixCommand) return true;
  if (const auto* load = dyn_cast<LoadInst>(&instruction)) return is_exchange(load->getPointerOperand());
  if (const auto* store = dyn_cast<StoreInst>(&instruction)) return is_exchange(store->getPointerOperand());
  const auto* call = dyn_cast<CallBase>(&instruction);
  if (call == nullptr) return false;
  if (const Function* callee = call->getCalledFunction()) return facts.needs_others(*callee);
  const auto* code = dyn_cast<InlineAsm>(call->getCalledOperand());
  if (code == nullptr) return false;
  const AsmKind kind = asm_kind(*call);
  return (kind == AsmKind::kUniform || kind == AsmKind::kOther) &&
         StringRef(code->getAsmString()).contains_insensitive("custom_0, 3,");  // a vote: split and join
}

std::vector<Wait> find_waits(const Uniformity& uniformity, const LoopInfo& loops,
                             const PostDominatorTree& ends, const OneLaneParts& parts,
                             const ModuleFacts& facts) {
  return WaitFinder(uniformity, loops, ends, parts, facts).run();
}

}  // namespace spica::simt
