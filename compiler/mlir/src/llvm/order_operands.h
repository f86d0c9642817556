// A pass that orders the operands of commutative operations in loops.

#pragma once

#include "llvm/IR/PassManager.h"

namespace clef {

/// In: a function. Out: the same, where the second operand of a commutative operation in a loop is the one that the loop
/// does not change. Instructions with two addresses overwrite their first operand: a value that is used again in the next
/// iteration would be copied each time.
struct OrderOperands : llvm::PassInfoMixin<OrderOperands> {
  llvm::PreservedAnalyses run(llvm::Function &F,
                              llvm::FunctionAnalysisManager &FAM);
};

} // namespace clef
