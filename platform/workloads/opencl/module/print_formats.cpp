// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/opencl/module/print_formats.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>

#include <string_view>

namespace spica::opencl {

using namespace llvm;

namespace {

constexpr std::string_view kFlags = "-+ #0", kDigits = "0123456789", kIntegers = "diouxX", kSigned = "di";

bool is_in(std::string_view set, char c) { return set.find(c) != std::string_view::npos; }

/// Reads a format from front to back.
class Reader {
 public:
  explicit Reader(const std::string& text) : text_(text) {}

  bool is_at_end() const { return at_ >= text_.size(); }
  char next() const { return is_at_end() ? '\0' : text_[at_]; }
  char take() { return text_[at_++]; }
  std::string take_all(std::string_view set) {
    std::string taken;
    while (!is_at_end() && is_in(set, next())) taken += take();
    return taken;
  }
  bool skip(std::string_view word) {
    if (text_.compare(at_, word.size(), word) != 0) return false;
    at_ += word.size();
    return true;
  }

 private:
  const std::string& text_;
  std::size_t at_ = 0;
};

/// Behind a percent sign.
void translate_conversion(Reader& in, PrintFormat& out) {
  std::string start = "%" + in.take_all(kFlags);
  const auto take_number = [&] {
    start += in.take_all(kDigits);
    if (!in.skip("*")) return;
    start += '*';
    out.arguments.push_back({1, true});
  };
  take_number();
  if (in.skip(".")) {
    start += '.';
    take_number();
  }
  PrintFormat::Argument argument;
  if (in.skip("v")) {
    const std::string elements = in.take_all(kDigits);
    if (!elements.empty() && elements.size() <= 2)
      argument.elements = static_cast<unsigned>(std::stoi(elements));
  }
  std::string length;
  if (!in.skip("hl")) length = in.take_all("hl");
  if (in.is_at_end()) {
    out.text += start + length;
    return;
  }
  const char conversion = in.take();
  if (is_in(kIntegers, conversion)) {
    argument.is_signed = is_in(kSigned, conversion);
    if (length == "l") length = "ll";  // of 64 bits
  } else {
    length.clear();
  }
  for (unsigned i = 0; i < argument.elements; ++i)
    out.text += (i == 0 ? "" : ",") + start + length + conversion;
  out.arguments.push_back(argument);
}

/// As C passes it to a function with any arguments.
Value* promoted(IRBuilder<>& builder, Value* value, bool is_signed) {
  Type* type = value->getType();
  if (type->isHalfTy() || type->isFloatTy()) return builder.CreateFPExt(value, builder.getDoubleTy());
  if (!type->isIntegerTy() || type->getIntegerBitWidth() >= 32) return value;
  return is_signed ? builder.CreateSExt(value, builder.getInt32Ty())
                   : builder.CreateZExt(value, builder.getInt32Ty());
}

void add_elements(IRBuilder<>& builder, Value* value, const PrintFormat::Argument& about,
                  SmallVectorImpl<Value*>& arguments) {
  const auto* vector = dyn_cast<FixedVectorType>(value->getType());
  if (vector == nullptr) return arguments.push_back(value);
  for (unsigned i = 0; i < std::min(about.elements, vector->getNumElements()); ++i)
    arguments.push_back(promoted(builder, builder.CreateExtractElement(value, i), about.is_signed));
}

void translate(CallInst& call) {
  StringRef old;
  if (!getConstantStringInfo(call.getArgOperand(0), old)) return;
  const PrintFormat format = translate_format(old.str());
  IRBuilder<> builder(&call);
  SmallVector<Value*, 8> arguments;
  Constant* text = ConstantDataArray::getString(call.getContext(), format.text);
  const unsigned space = call.getArgOperand(0)->getType()->getPointerAddressSpace();
  auto* variable = new GlobalVariable(*call.getModule(), text->getType(), true, GlobalValue::PrivateLinkage,
                                      text, "format", nullptr, GlobalValue::NotThreadLocal, space);
  variable->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
  arguments.push_back(variable);
  for (unsigned i = 1; i < call.arg_size(); ++i) {
    const bool is_known = i - 1 < format.arguments.size();
    add_elements(builder, call.getArgOperand(i), is_known ? format.arguments[i - 1] : PrintFormat::Argument(),
                 arguments);
  }
  CallInst* made = builder.CreateCall(call.getFunctionType(), call.getCalledOperand(), arguments);
  made->setDebugLoc(call.getDebugLoc());
  call.replaceAllUsesWith(made);
  call.eraseFromParent();
}

}  // namespace

PrintFormat translate_format(const std::string& format) {
  PrintFormat out;
  for (Reader in(format); !in.is_at_end();) {
    const char c = in.take();
    if (c != '%') out.text += c;
    else if (in.skip("%")) out.text += "%%";
    else translate_conversion(in, out);
  }
  return out;
}

void translate_prints(Module& module) {
  Function* print = module.getFunction("printf");
  if (print == nullptr) return;
  for (User* user : make_early_inc_range(print->users()))
    if (auto* call = dyn_cast<CallInst>(user); call != nullptr && call->getCalledFunction() == print)
      translate(*call);
}

}  // namespace spica::opencl
