// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/IR/PassManager.h>

namespace spica::simt {

class ModuleFacts;

/// Lanes that have left a loop wait behind it for those still in it; where these wait for a lock that one of the others
/// holds, none would ever continue. So the loops of each `Wait` become one: in a round a waiting lane tries once, and
/// another one continues up to the end of the wait. What optimisation has made of the source's loops does not matter.
/// Returns how many waits there were. Analyses of the function are no longer valid when there was one.
unsigned give_turns(llvm::Function& function, llvm::FunctionAnalysisManager& analyses,
                    const ModuleFacts& facts);

/// At the start of the optimisations: what takes a lock or gives it back becomes part of the function that calls it, so
/// that give_turns() sees both.
void inline_waits(llvm::Module& module);

}  // namespace spica::simt
