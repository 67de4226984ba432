// SPDX-License-Identifier: Apache-2.0
// Makes programs for Spica out of what clang made of OpenCL C, LLVM bitcode for 32-bit nvptx:
//
//   spica-opencl-module -builtins opencl.bc INPUT.bc... -o OUTPUT.bc   a program, for clang and the plugin
//   spica-opencl-module -objects INPUT.bc... -o OUTPUT.bc              several objects as one
//   spica-opencl-module -library OWN.bc... nvptx--.bc -o opencl.bc     the built-in library; earlier files override
//
// Exit code 1: messages on what the program does wrong, one on a line; 2: a broken installation.
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/IR/Verifier.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Linker/Linker.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/ToolOutputFile.h>
#include <llvm/Support/raw_ostream.h>

#include <memory>

#include "platform/workloads/opencl/module/checks.h"
#include "platform/workloads/opencl/module/kernels.h"
#include "platform/workloads/opencl/module/print_formats.h"
#include "platform/workloads/opencl/module/retarget.h"

namespace {

using namespace llvm;
using namespace spica::opencl;

cl::list<std::string> inputs(cl::Positional, cl::OneOrMore, cl::desc("INPUT.bc..."));
cl::opt<std::string> output("o", cl::Required, cl::desc("output file"));
cl::opt<std::string> builtins("builtins", cl::desc("the built-in library of OpenCL C"));
cl::opt<bool> makes_objects("objects", cl::desc("link objects, and leave them as they are"));
cl::opt<bool> makes_library("library", cl::desc("make the built-in library"));

constexpr int kRejected = 1, kBroken = 2;

/// Messages of the linker of modules are about the program: a function that two objects define.
struct Messages : DiagnosticHandler {
  bool handleDiagnostics(const DiagnosticInfo& about) override {
    if (about.getSeverity() != DS_Error) return true;
    DiagnosticPrinterRawOStream printer(errs());
    errs() << "error: ";
    about.print(printer);
    errs() << '\n';
    return true;
  }
};

std::unique_ptr<Module> read(const std::string& file, LLVMContext& context, bool is_lazy) {
  SMDiagnostic problem;
  std::unique_ptr<Module> module =
      is_lazy ? getLazyIRFileModule(file, problem, context) : parseIRFile(file, problem, context);
  if (module == nullptr) {
    problem.print("spica-opencl-module", errs());
    exit(kBroken);
  }
  return module;
}

int refuse(const std::vector<std::string>& sentences) {
  for (const std::string& sentence : sentences) errs() << sentence << '\n';
  return sentences.empty() ? 0 : kRejected;
}

/// What the final link provides: what the built-in library calls outside of itself, and printf.
StringSet<> provided_by_link(const Module& library) {
  StringSet<> names;
  for (const Function& function : library)
    if (function.isDeclaration() && !function.isIntrinsic()) names.insert(function.getName());
  names.insert("printf");
  return names;
}

/// Only the entries are called from outside. C99's "inline" without a definition elsewhere is one.
void make_internal(Module& module) {
  for (Function& function : module)
    if (!function.isDeclaration() && !function.hasMetadata("kernel_arg_addr_space")) {
      function.setComdat(nullptr);
      function.setLinkage(GlobalValue::InternalLinkage);
    }
  for (GlobalVariable& variable : module.globals())
    if (!variable.isDeclaration() && !variable.getName().starts_with("llvm.")) {
      variable.setComdat(nullptr);
      variable.setLinkage(GlobalValue::InternalLinkage);
    }
}

int make_program(Module& module, LLVMContext& context) {
  if (const int code = refuse(unsupported(module)); code != 0) return code;
  std::unique_ptr<Module> library = read(builtins, context, true);
  for (Function& function : module)  // before the library is asked for what is missing
    if (function.hasAvailableExternallyLinkage()) function.setLinkage(GlobalValue::InternalLinkage);
  retarget(module);
  translate_prints(module);
  const StringSet<> provided = provided_by_link(*library);
  if (Linker::linkModules(module, std::move(library), Linker::Flags::LinkOnlyNeeded)) return kBroken;
  if (const int code = refuse(undefined(module, provided)); code != 0) return code;
  make_internal(module);
  make_entries(module, kernels_of(module));
  return 0;
}

/// A definition that others may replace, and that stays though nothing in its module uses it.
void keep_definitions(Module& module) {
  for (Function& function : module)
    if (function.hasLinkOnceLinkage()) function.setLinkage(GlobalValue::WeakODRLinkage);
}

int run() {
  LLVMContext context;
  context.setDiagnosticHandler(std::make_unique<Messages>());
  std::unique_ptr<Module> module = read(inputs.front(), context, false);
  if (makes_library) retarget(*module);
  for (const std::string& file : drop_begin(inputs)) {
    std::unique_ptr<Module> next = read(file, context, false);
    if (makes_library) {
      retarget(*next);
      keep_definitions(*next);
    }
    if (Linker::linkModules(*module, std::move(next))) return kRejected;
  }
  if (!makes_library && !makes_objects)
    if (const int code = make_program(*module, context); code != 0) return code;
  if (verifyModule(*module, &errs())) return kBroken;
  std::error_code error;
  ToolOutputFile file(output, error, sys::fs::OF_None);
  if (error) {
    errs() << output << ": " << error.message() << '\n';
    return kBroken;
  }
  WriteBitcodeToFile(*module, file.os());
  file.keep();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  cl::ParseCommandLineOptions(argc, argv, "makes programs for Spica out of OpenCL C\n");
  return run();
}
