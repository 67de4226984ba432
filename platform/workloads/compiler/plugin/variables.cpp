// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/compiler/plugin/variables.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Scalar/InstSimplifyPass.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/LoopRotation.h>
#include <llvm/Transforms/Scalar/SROA.h>

#include "platform/workloads/compiler/plugin/module_facts.h"
#include "platform/workloads/compiler/plugin/simt_asm.h"

#include <string>

namespace spica::simt {

using namespace llvm;

namespace {

/// Marks a variable that stays on the stack, and what the debugger has in place of one that does not. As if something
/// else could read it there: no pass removes it, or what writes it.
constexpr StringRef kPin = "# spica variable", kCopy = "# spica copy";
constexpr StringRef kSource = "spica.source";

bool is_asm(const Value& value, StringRef text) {
  const auto* call = dyn_cast<CallInst>(&value);
  const auto* code = call != nullptr ? dyn_cast<InlineAsm>(call->getCalledOperand()) : nullptr;
  return code != nullptr && code->getAsmString() == text;
}
bool is_pin(const Value& value) { return is_asm(value, kPin); }

void mark(AllocaInst& memory, StringRef text) {
  IRBuilder<> builder(memory.getNextNode());
  make_fixed_asm(builder, builder.getVoidTy(), {&memory}, text, "r");
}

void unpin(AllocaInst& memory) {
  for (User* user : make_early_inc_range(memory.users()))
    if (is_pin(*user)) cast<Instruction>(user)->eraseFromParent();
}

/// A variable and what writes it.
class Variable {
 public:
  explicit Variable(AllocaInst& memory) : memory_(memory) {}

  /// What the debugger sees from now on, if the program knows the variable's address nowhere else. Returns whether it
  /// does.
  bool add_copy() {
    if (!find_writers() || (!is_pinned_ && mentions_.empty())) return false;
    IRBuilder<> builder(&memory_);
    AllocaInst* copy = builder.CreateAlloca(memory_.getAllocatedType(), memory_.getArraySize());
    copy->setAlignment(memory_.getAlign());
    mark(*copy, kCopy);
    for (DbgVariableRecord* record : findDVRDeclares(&memory_))
      record->replaceVariableLocationOp(&memory_, copy);
    for (DbgDeclareInst* declare : findDbgDeclares(&memory_))
      declare->replaceVariableLocationOp(&memory_, copy);
    for (Instruction* writer : writers_) {
      Instruction* again = writer->clone();
      again->insertAfter(writer);
      const unsigned operand = isa<StoreInst>(writer) ? StoreInst::getPointerOperandIndex() : 0;
      again->setOperand(operand, pointer_into(*copy, *writer->getOperand(operand), *again));
    }
    for (StoreInst* mention : mentions_)
      mention->setOperand(0, pointer_into(*copy, *mention->getValueOperand(), *mention));
    unpin(memory_);
    return true;
  }

 private:
  bool find_writers() {
    SmallVector<Instruction*, 8> todo = {&memory_};
    while (!todo.empty()) {
      Instruction* pointer = todo.pop_back_val();
      for (const Use& use : pointer->uses())
        if (!visit(use, todo)) return false;
    }
    return true;
  }

  bool visit(const Use& use, SmallVectorImpl<Instruction*>& todo) {
    auto* user = cast<Instruction>(use.getUser());
    is_pinned_ |= is_pin(*user);
    if (user->isLifetimeStartOrEnd() || is_pin(*user)) return true;
    if (const auto* load = dyn_cast<LoadInst>(user)) return load->isSimple();
    if (const auto* store = dyn_cast<StoreInst>(user)) {
      const bool is_address = use.getOperandNo() == StoreInst::getPointerOperandIndex();
      if (is_address) writers_.push_back(user);
      else mentions_.push_back(cast<StoreInst>(user));
      return store->isSimple() && (is_address || is_for_debugger(use));
    }
    if (const auto* copy = dyn_cast<MemIntrinsic>(user)) {
      if (use.getOperandNo() == 0) writers_.push_back(user);
      return !copy->isVolatile() && isa<Constant>(copy->getLength());
    }
    if (const auto* element = dyn_cast<GetElementPtrInst>(user)) {
      todo.push_back(user);
      return element->hasAllConstantIndices();
    }
    return false;
  }

  Value* pointer_into(Value& copy, Value& pointer, Instruction& before) const {
    if (&pointer == &memory_) return &copy;
    Instruction* element = cast<GetElementPtrInst>(pointer).clone();
    element->insertBefore(&before);
    element->setDebugLoc(before.getDebugLoc());
    element->setOperand(0, pointer_into(copy, *element->getOperand(0), *element));
    return element;
  }

  AllocaInst& memory_;
  bool is_pinned_ = false;
  SmallVector<Instruction*, 8> writers_;
  SmallVector<StoreInst*, 4> mentions_;  // copies of pointers to it
};

/// Behind a call that does not return, lanes may as well go where the others are: a barrier there still has them all.
void come_back(BasicBlock& block) {
  auto* end = dyn_cast<UnreachableInst>(block.getTerminator());
  BasicBlock* from = end != nullptr ? block.getSinglePredecessor() : nullptr;
  auto* branch = from != nullptr ? dyn_cast<BranchInst>(from->getTerminator()) : nullptr;
  if (branch == nullptr || branch->isUnconditional()) return;
  BasicBlock* other = branch->getSuccessor(branch->getSuccessor(0) == &block ? 1 : 0);
  if (other == &block || isa<PHINode>(other->front()) || isa<UnreachableInst>(other->getTerminator())) return;
  BranchInst::Create(other, end->getIterator())->setDebugLoc(end->getDebugLoc());
  end->eraseFromParent();
}

void make_line(Instruction& before) {
  IRBuilder<> builder(&before);
  Type* nothing = builder.getVoidTy();
  builder.CreateCall(InlineAsm::get(FunctionType::get(nothing, false), "nop", "", true))->setDoesNotThrow();
}

/// Not of the kernel library, whose functions are in most others many times.
bool is_of_program(const DILocalVariable& variable) {
  const DIFile* file = variable.getFile();
  const std::string path = file == nullptr ? "" : (file->getDirectory() + "/" + file->getFilename()).str();
  return path.find("/sw/lib/include/") == std::string::npos;
}

bool is_variable(AllocaInst& memory) {
  return any_of(findDVRDeclares(&memory), [](auto* one) { return is_of_program(*one->getVariable()); }) ||
         any_of(findDbgDeclares(&memory), [](auto* one) { return is_of_program(*one->getVariable()); });
}

/// A jump that a pass has put before a block has the line of what it leads to.
bool is_way_to_next(const BasicBlock& block) {
  const Instruction& end = *block.getTerminator();
  const BasicBlock* next = block.getSingleSuccessor();
  if (next == nullptr || block.getFirstNonPHIOrDbg() != &end || !end.getDebugLoc()) return false;
  const DebugLoc& first = next->getFirstNonPHIOrDbg()->getDebugLoc();
  return first && first.getLine() == end.getDebugLoc().getLine();
}

/// Marks what is of the source: instructions, and blocks by the number of the line at their ends.
void mark_lines(Function& function, std::vector<DebugLoc>& ends) {
  LLVMContext& context = function.getContext();
  context.setDiscardValueNames(false);
  for (BasicBlock& block : function) {
    if (is_way_to_next(block)) continue;
    if (const DebugLoc& end = block.getTerminator()->getDebugLoc()) {
      block.setName(kSource + Twine(ends.size()));
      ends.push_back(end);
    }
    for (Instruction& one : block) one.setMetadata(kSource, MDNode::get(context, {}));
  }
}

/// What is not of the source gets no line: lanes that go around a statement would seem to come to it, and those that
/// come by another way would not. Arithmetic keeps the line of what it replaces, and a block of the source that of its
/// end.
void take_lines(Function& function, const std::vector<DebugLoc>& ends) {
  const auto is_own = [](const Instruction& one) { return one.hasMetadata(kSource); };
  for (BasicBlock& block : function) {
    const bool has_own = any_of(block, is_own);
    StringRef name = block.getName();
    unsigned number = 0;
    DebugLoc end;
    if (name.consume_front(kSource) && !name.getAsInteger(10, number) && number < ends.size())
      end = ends[number];
    Instruction& last = *block.getTerminator();
    if (!is_own(last) && (!has_own || last.getDebugLoc() != end))
      last.setDebugLoc(has_own ? DebugLoc() : end);
    for (Instruction& one : block) {
      const auto* call = dyn_cast<CallInst>(&one);
      const bool is_kept = is_own(one) || (has_own && (call == nullptr || !call->isInlineAsm()));
      if (&one != &last && !is_kept) one.setDebugLoc({});
    }
    for (Instruction& one : block) one.setMetadata(kSource, nullptr);
  }
}

/// Called by the compiler's own code, in which no line can be shown: a kernel in the style of CUDA.
bool is_called_without_lines(const Function& function) {
  return any_of(function.users(), [](const User* user) {
    const auto* call = dyn_cast<CallBase>(user);
    return call != nullptr && call->getFunction()->getSubprogram() == nullptr;
  });
}

}  // namespace

bool is_for_debugger(const Use& use) {
  const auto* store = dyn_cast<StoreInst>(use.getUser());
  if (store == nullptr || use.getOperandNo() == StoreInst::getPointerOperandIndex()) return false;
  const auto* memory = dyn_cast<AllocaInst>(getUnderlyingObject(store->getPointerOperand()));
  return memory != nullptr && any_of(memory->users(), [](const User* user) { return is_asm(*user, kCopy); });
}

void inline_collectives(Module& module, const ModuleFacts& facts) {
  SmallSetVector<Function*, 16> todo;
  for (Function& function : module)
    if (!function.isDeclaration() && !facts.needs_all_lanes(function).empty()) todo.insert(&function);
  for (unsigned i = 0; i < todo.size(); ++i) {
    if (facts.runs_in_one_lane(*todo[i])) continue;
    for (Instruction& one : instructions(*todo[i]))
      if (const auto* call = dyn_cast<CallBase>(&one))
        if (Function* callee = call->getCalledFunction(); callee != nullptr && !callee->isDeclaration())
          todo.insert(callee);
  }
  SmallVector<Instruction*, 32> lines;
  for (Function* function : todo) {
    if (function->hasFnAttribute(Attribute::AlwaysInline) || is_called_without_lines(*function)) continue;
    function->removeFnAttr(Attribute::NoInline);
    function->addFnAttr(Attribute::AlwaysInline);
    for (Instruction& one : instructions(*function))
      if (isa<ReturnInst>(one)) lines.push_back(&one);
    for (User* user : function->users())
      if (auto* call = dyn_cast<CallBase>(user); call != nullptr && call->getCalledFunction() == function)
        lines.push_back(call);
  }
  // A call and a return, of which nothing may be left, have a place where a debugger can stop.
  for (Instruction* one : lines) make_line(*one);
}

std::vector<DebugLoc> keep_variables(Function& function, FunctionAnalysisManager& analyses) {
  const auto apply = [&](auto pass) {
    pass.run(function, analyses);
    analyses.invalidate(function, PreservedAnalyses::none());
  };
  for (BasicBlock& block : function) come_back(block);
  const auto each = [&](auto action) {
    SmallVector<AllocaInst*, 32> all;
    for (Instruction& one : instructions(function))
      if (auto* memory = dyn_cast<AllocaInst>(&one)) all.push_back(memory);
    for (AllocaInst* memory : all) action(*memory);
  };
  each([](AllocaInst& memory) {
    if (is_variable(memory)) mark(memory, kPin);
  });
  // An object that holds the address of a variable, as a lambda does, becomes values before the variable can.
  for (bool is_changed = true; is_changed;) {
    is_changed = false;
    apply(SROAPass(SROAOptions::PreserveCFG));
    each([&](AllocaInst& memory) { is_changed |= Variable(memory).add_copy(); });
  }
  apply(InstSimplifyPass());
  std::vector<DebugLoc> ends;
  mark_lines(function, ends);
  apply(createFunctionToLoopPassAdaptor(LoopRotatePass()));  // loops are left at their ends, where `pred` is
  return ends;
}

void release_variables(Function& function, const std::vector<DebugLoc>& ends) {
  take_lines(function, ends);
  for (Instruction& one : make_early_inc_range(instructions(function))) {
    if (isa<ReturnInst>(one)) {
      // A stop at its line is before the frame pointer is restored, which clang gives no line.
      IRBuilder<> builder(&one);
      make_fixed_asm(builder, builder.getVoidTy(), {}, "", "");
    } else if (is_pin(one) || is_asm(one, kCopy)) {
      one.eraseFromParent();
    }
  }
  function.removeFnAttr(Attribute::AlwaysInline);  // done
  function.addFnAttr(Attribute::NoInline);
  function.addFnAttr(Attribute::OptimizeNone);
}

}  // namespace spica::simt
