// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>

#include <optional>
#include <string>
#include <vector>

namespace spica::simt {

/// Appends the numbers in a value of this type (null: unknown) at `offset`, in the form of KernelArguments::text().
void describe_members(const llvm::DIType* type, const std::string& name, uint64_t offset, std::string& text);

/// The layout of a kernel's arguments in the argument block: that of a structure with these members.
class KernelArguments {
 public:
  /// Uses the debug information of the kernel, which must exist.
  explicit KernelArguments(const llvm::Function& kernel);

  /// "n:u4:0 x:f4:4 size.m:i4:8 low[0]:f4:12": names, kinds (u, i, f; o: not a single number) with bytes, and offsets.
  const std::string& text() const { return text_; }

  /// The values that a call of the kernel passes for the arguments at `block`; empty if the compiler passes one in an
  /// unsupported way.
  std::optional<std::vector<llvm::Value*>> load(llvm::IRBuilder<>& builder, llvm::Value* block) const;

 private:
  struct Argument {
    uint64_t offset, bytes;
    bool is_aggregate, is_empty;
  };

  const llvm::Function& kernel_;
  std::vector<Argument> arguments_;
  std::string text_;
};

}  // namespace spica::simt
