// A pass that replaces the phis of aggregates by phis of their parts.

#pragma once

#include "llvm/IR/PassManager.h"

namespace clef {

/// In: a function. Out: the same, where a phi of a struct or array with few parts is one phi for each of them. What
/// merges at a join is then visible to passes that look through phis of scalars only, as most of LLVM's do.
struct SplitPhis : llvm::PassInfoMixin<SplitPhis> {
  llvm::PreservedAnalyses run(llvm::Function &F,
                              llvm::FunctionAnalysisManager &FAM);
};

} // namespace clef
