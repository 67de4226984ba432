// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/IR/DebugLoc.h>
#include <llvm/IR/Function.h>

#include <string>

#include "platform/workloads/compiler/plugin/module_facts.h"
#include "platform/workloads/compiler/plugin/one_lane.h"
#include "platform/workloads/compiler/plugin/shape.h"
#include "platform/workloads/compiler/plugin/uniformity.h"

namespace spica::simt {

/// A compilation error, with file and line if there is debug information.
void report_error(const llvm::Function& function, const llvm::DebugLoc& place, const std::string& text);
/// A remark of -Rpass=spica.
void remark(llvm::BasicBlock& block, const llvm::DebugLoc& place, const std::string& text);
/// A remark of -Rpass-analysis=spica.
void remark_analysis(llvm::Function& function, const std::string& text);

/// The place in the user's own files: for code of library headers, the place that uses it.
llvm::DebugLoc own_place(const llvm::DebugLoc& place);
/// The reason why this value differs between lanes: "argument 'n'", "the number of the lane".
std::string cause_of(const llvm::Use& use, const Uniformity& uniformity);

/// Prints the reason for each place where lanes may diverge.
void remark_shape(const Shape& shape, const Uniformity& uniformity);
/// Reports instructions that need all lanes at places where lanes may have diverged. Returns true if there were any.
bool report_collectives(const llvm::Function& function, const Shape& shape, const Uniformity& uniformity,
                        const ModuleFacts& facts, const OneLaneParts& parts);

}  // namespace spica::simt
