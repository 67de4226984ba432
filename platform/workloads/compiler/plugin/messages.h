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

/// An error of the compilation, with file and line where there is debug information.
void report_error(const llvm::Function& function, const llvm::DebugLoc& place, const std::string& text);
/// A remark of -Rpass=spica.
void remark(llvm::BasicBlock& block, const llvm::DebugLoc& place, const std::string& text);
/// A remark of -Rpass-analysis=spica.
void remark_analysis(llvm::Function& function, const std::string& text);

/// Where in the user's own files: code of the library's headers counts for the place that uses it.
llvm::DebugLoc own_place(const llvm::DebugLoc& place);
/// What makes this value differ between lanes: "argument 'n'", "the number of the lane".
std::string cause_of(const llvm::Use& use, const Uniformity& uniformity);

/// Prints for each place where lanes may diverge the reason.
void remark_shape(const Shape& shape, const Uniformity& uniformity);
/// Refuses what needs all lanes where lanes may have parted. Returns whether there was something.
bool report_collectives(const llvm::Function& function, const Shape& shape, const Uniformity& uniformity,
                        const ModuleFacts& facts, const OneLaneParts& parts);

}  // namespace spica::simt
