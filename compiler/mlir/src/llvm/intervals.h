// A pass that finds the intervals of integers in loops.

#pragma once

#include "llvm/IR/PassManager.h"

namespace clef {

/// In: a function. Out: the same, where comparisons whose results follow from the intervals of their operands are
/// constants, and arithmetic that follows to be of unsigned numbers is unsigned.
///
/// LLVM's own passes give up the range of a loop variable that grows for more than a few iterations. This one is an abstract interpretation (Cousot and Cousot, "Abstract Interpretation: A Unified Lattice Model", POPL
/// 1977): intervals grow until each operation keeps them, at last to the next constant that the function compares with.
struct Intervals : llvm::PassInfoMixin<Intervals> {
  llvm::PreservedAnalyses run(llvm::Function &F,
                              llvm::FunctionAnalysisManager &FAM);
};

} // namespace clef
