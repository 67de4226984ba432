// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/IR/PassManager.h>

namespace spica::simt {

class ModuleFacts;

/// Lanes that have left a loop wait after it for those still in the loop. If these wait for a lock held by a lane that
/// has left, no lane would ever continue. So the loops of each `Wait` become one loop: in each iteration a waiting lane
/// tries once, and another lane executes up to the end of the wait. This works for any form that optimisation has given
/// the loops. Returns the number of waits; if it is not 0, analyses of the function are invalid.
unsigned give_turns(llvm::Function& function, llvm::FunctionAnalysisManager& analyses,
                    const ModuleFacts& facts);

/// Call before the optimisations: inlines code that takes or releases a lock into the calling function, so that
/// give_turns() sees both.
void inline_waits(llvm::Module& module);

}  // namespace spica::simt
