// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/compiler/plugin/simt_asm.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InlineAsm.h>

#include <algorithm>
#include <optional>
#include <string>

namespace spica::simt {

using namespace llvm;

namespace {

/// An instruction of a custom opcode, `.insn r OPCODE, FUNCTION, ...`.
struct Custom {
  unsigned opcode = 0;  // 0 to 3: CUSTOM_0 to CUSTOM_3
  unsigned function = 0;  // the field funct3
};

/// A number, or an operand that is one.
std::optional<unsigned> number_of(StringRef word, const CallBase& call) {
  unsigned number = 0;
  if (!word.consumeInteger(0, number)) return number;
  if (!word.consume_front("$")) return std::nullopt;
  word.consume_front("{");
  if (word.consumeInteger(10, number)) return std::nullopt;
  // Results come first, and are not arguments of the call.
  unsigned results = 0;
  for (const InlineAsm::ConstraintInfo& one : cast<InlineAsm>(call.getCalledOperand())->ParseConstraints())
    results += one.Type == InlineAsm::isOutput && !one.isIndirect;
  if (number < results || number - results >= call.arg_size()) return std::nullopt;
  const auto* constant = dyn_cast<ConstantInt>(call.getArgOperand(number - results));
  return constant == nullptr ? std::nullopt : std::optional<unsigned>(constant->getZExtValue());
}

std::optional<unsigned> opcode_of(StringRef word, const CallBase& call) {
  unsigned which = 0;
  if (StringRef name = word; name.consume_front("custom_"))
    return name.getAsInteger(10, which) || which > 3 ? std::nullopt : std::optional<unsigned>(which);
  constexpr unsigned kOpcodes[] = {0x0B, 0x2B, 0x5B, 0x7B};
  const auto at = find(kOpcodes, number_of(word, call).value_or(0));
  return at == std::end(kOpcodes) ? std::nullopt : std::optional<unsigned>(at - std::begin(kOpcodes));
}

/// Those of a statement, in order; `text` in lower case.
SmallVector<Custom, 2> customs_of(StringRef text, const CallBase& call) {
  SmallVector<Custom, 2> found;
  for (size_t at; (at = text.find(".insn")) != StringRef::npos;) {
    text = text.substr(at + StringRef(".insn").size()).ltrim();
    const auto [format, rest] = text.split(' ');
    const auto [opcode, behind] = rest.split(',');
    const std::optional<unsigned> which = opcode_of(opcode.trim(), call);
    const std::optional<unsigned> function = number_of(behind.split(',').first.trim(), call);
    if (which && function) found.push_back({*which, *function});
  }
  return found;
}

/// Reads a control register that is the same for all lanes of a warp at any time.
bool reads_uniform_register(StringRef text) {
  if (!text.starts_with("csrr $0,")) return false;
  const StringRef number = text.substr(StringRef("csrr $0,").size()).trim();
  constexpr StringRef kUniform[] = {"0xcc1", "0xcc2", "0xcc4", "0xfc0", "0xfc1", "0xfc2",
                                    "0x340",  // mscratch: the argument of a kernel
                                    // of the work group; 0xcd3 to 0xcd5 are the lane's place in it
                                    "0xcd0", "0xcd1", "0xcd2", "0xcd6", "0xcd7", "0xcd8", "0xcd9", "0xcda",
                                    "0xcdb", "0xcdc", "0xcdd", "0xcde", "0xcdf", "0xce1"};
  return std::find(std::begin(kUniform), std::end(kUniform), number) != std::end(kUniform);
}

/// Works on registers and constants that the compiler chooses. Not on memory, and not on a register with a name, which
/// may hold what no operand says: the stack pointer, for instance.
bool has_plain_operands(const InlineAsm& code) {
  return all_of(code.ParseConstraints(), [](const InlineAsm::ConstraintInfo& one) {
    const auto is_plain = [](const std::string& word) {
      constexpr StringRef kRegisters[] = {"r", "f", "cr", "cf", "R"}, kConstants = "iInsIJKS";
      return is_contained(kRegisters, word) || isDigit(word[0]) ||
             (word.size() == 1 && kConstants.contains(word[0]));
    };
    if (one.Type == InlineAsm::isClobber) return !is_contained(one.Codes, "{memory}");
    return !one.isIndirect && !one.isMultipleAlternative && all_of(one.Codes, is_plain);
  });
}

/// Without an instruction a result is an operand, or whatever is in a register.
bool has_results_of_nothing(const InlineAsm& code) {
  return any_of(code.ParseConstraints(), [](const InlineAsm::ConstraintInfo& one) {
    return one.Type == InlineAsm::isOutput && !one.hasMatchingInput();
  });
}

/// One instruction that works on the operands of the statement only.
bool is_pure(const InlineAsm& code, StringRef text) {
  text = text.trim();
  if (!has_plain_operands(code)) return false;
  if (text.empty()) return !has_results_of_nothing(code);
  // Registers of control and status, by their numbers or by their names: fcsr, fflags, frm.
  constexpr StringRef kReadsState[] = {"csr", "rd", "frcsr", "frflags", "frrm", "fscsr", "fsflags", "fsrm"};
  if (text.find_first_of("\n;(") != StringRef::npos ||
      any_of(kReadsState, [&](StringRef start) { return text.starts_with(start); }))
    return false;
  const auto [mnemonic, rest] = text.split(' ');
  SmallVector<StringRef, 4> operands;
  rest.split(operands, ',');
  return !mnemonic.starts_with(".") && std::all_of(operands.begin(), operands.end(), [](StringRef operand) {
    return operand.trim().starts_with("$");
  });
}

AsmKind kind_of(const Custom& custom) {
  if (custom.opcode == 3) return AsmKind::kAllLanes;
  if (custom.opcode == 2) return custom.function == 7 ? AsmKind::kOther : AsmKind::kAllLanes;
  if (custom.opcode == 1) return AsmKind::kOther;
  switch (custom.function) {
    case 0:
    case 5: return AsmKind::kMask;
    case 1: return AsmKind::kSpawn;
    case 2: return AsmKind::kSplit;
    case 3: return AsmKind::kJoin;
    case 4: return AsmKind::kBarrier;
    default: return AsmKind::kOther;
  }
}

/// The first that needs all lanes, else the first.
AsmKind kind_of(ArrayRef<Custom> customs, StringRef text) {
  for (const Custom& custom : customs) {
    const AsmKind kind = kind_of(custom);
    if (kind != AsmKind::kSplit && kind != AsmKind::kJoin && kind != AsmKind::kOther) return kind;
  }
  const auto has = [&](AsmKind kind) {
    return any_of(customs, [&](const Custom& one) { return kind_of(one) == kind; });
  };
  if (has(AsmKind::kSplit) && has(AsmKind::kJoin))
    return text.contains("or $0") ? AsmKind::kUniform : AsmKind::kOther;  // simt_any()
  return kind_of(customs.front());
}

const InlineAsm* asm_of(const Value& value) {
  const auto* call = dyn_cast<CallBase>(&value);
  return call == nullptr ? nullptr : dyn_cast<InlineAsm>(call->getCalledOperand());
}

CallInst* make_asm(IRBuilder<>& builder, Type* result, ArrayRef<Value*> operands, StringRef text,
                   StringRef constraints, bool is_fixed) {
  SmallVector<Type*, 4> types;
  for (const Value* operand : operands) types.push_back(operand->getType());
  InlineAsm* code = InlineAsm::get(FunctionType::get(result, types, false), text, constraints, is_fixed);
  CallInst* call = builder.CreateCall(code, operands);
  call->setDoesNotThrow();
  return call;
}

}  // namespace

AsmKind asm_kind(const Value& value) {
  const InlineAsm* code = asm_of(value);
  if (code == nullptr) return AsmKind::kNotAsm;
  const std::string lower = StringRef(code->getAsmString()).lower();
  const StringRef text = lower;
  if (text.contains("simt uniform") || reads_uniform_register(text)) return AsmKind::kUniform;
  if (const SmallVector<Custom, 2> customs = customs_of(text, cast<CallBase>(value)); !customs.empty())
    return kind_of(customs, text);
  if (text.contains("csrw 0xacc")) return AsmKind::kMatrixCommand;
  return is_pure(*code, text) ? AsmKind::kPure : AsmKind::kOther;
}

bool reads_lane(const Value& value) {
  const InlineAsm* code = asm_of(value);
  if (code == nullptr) return false;
  const StringRef text = code->getAsmString();
  return text.equals_insensitive("csrr $0, 0xCC0") || text.equals_insensitive("csrr $0, 0xF14");
}

bool reads_place_in_group(const Value& value) {
  const InlineAsm* code = asm_of(value);
  if (code == nullptr) return false;
  const StringRef text = code->getAsmString();
  return any_of(ArrayRef<StringRef>{"0xCD3", "0xCD4", "0xCD5"},
                [&](StringRef number) { return text.equals_insensitive(("csrr $0, " + number).str()); });
}

CallInst* make_fixed_asm(IRBuilder<>& builder, Type* result, ArrayRef<Value*> operands, StringRef text,
                         StringRef constraints) {
  CallInst* call = make_asm(builder, result, operands, text, constraints, true);
  call->addFnAttr(Attribute::Convergent);
  call->addFnAttr(Attribute::NoDuplicate);
  call->addFnAttr(Attribute::NoMerge);
  call->setMemoryEffects(MemoryEffects::inaccessibleMemOnly());
  return call;
}

CallInst* make_pure_asm(IRBuilder<>& builder, Type* result, ArrayRef<Value*> operands, StringRef text,
                        StringRef constraints) {
  CallInst* call = make_asm(builder, result, operands, text, constraints, false);
  call->setDoesNotAccessMemory();
  return call;
}

Value* hide(IRBuilder<>& builder, Value* word) {
  return make_pure_asm(builder, builder.getInt32Ty(), {word}, "", "=r,0");
}

CallInst* read_mask(IRBuilder<>& builder) {
  return make_fixed_asm(builder, builder.getInt32Ty(), {}, "csrr $0, 0xCC4", "=r");
}

CallInst* make_pred(IRBuilder<>& builder, Value* all, Value* stays) {
  return make_fixed_asm(builder, builder.getInt32Ty(), {all, stays},
                        ".insn r CUSTOM_0, 5, 0, x0, $0, $1 # pred", "=r,r,0");
}

CallInst* read_lane(IRBuilder<>& builder) {
  return make_pure_asm(builder, builder.getInt32Ty(), {}, "csrr $0, 0xCC0", "=r");
}

}  // namespace spica::simt
