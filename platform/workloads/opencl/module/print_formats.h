// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/IR/Module.h>

#include <string>
#include <vector>

namespace spica::opencl {

/// A format of printf() in OpenCL C, as the C library of sw/lib knows formats: "%v2hlf %ld" becomes "%f,%f %lld".
struct PrintFormat {
  std::string text;
  /// For each argument: elements, 1 for a single value; and whether its integers have a sign.
  struct Argument {
    unsigned elements = 1;
    bool is_signed = false;
  };
  std::vector<Argument> arguments;
};
PrintFormat translate_format(const std::string& format);

/// Passes vectors to printf() element by element, where the format is a constant.
void translate_prints(llvm::Module& module);

}  // namespace spica::opencl
