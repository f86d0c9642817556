// A pass that replaces the phis and the stores of aggregates by those of their parts.

#pragma once

#include "llvm/IR/PassManager.h"

namespace clef {

/// In: a function. Out: the same, where a phi of a struct or array with few parts is one phi for each of them, and a store of
/// one that is made of parts is one store for each part that is defined. What merges at a join, and what is written, is
/// then visible to passes that look at scalars only, as most of LLVM's do.
struct SplitAggregates : llvm::PassInfoMixin<SplitAggregates> {
  llvm::PreservedAnalyses run(llvm::Function &F,
                              llvm::FunctionAnalysisManager &FAM);
};

} // namespace clef
