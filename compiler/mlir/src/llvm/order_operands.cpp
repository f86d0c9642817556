#include "order_operands.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/InstrTypes.h"

using namespace llvm;

PreservedAnalyses clef::OrderOperands::run(Function &F,
                                           FunctionAnalysisManager &FAM) {
  const LoopInfo &LI = FAM.getResult<LoopAnalysis>(F);
  for (BasicBlock &Block : F) {
    const Loop *L = LI.getLoopFor(&Block);
    if (!L)
      continue;
    for (Instruction &I : Block) {
      auto *Operation = dyn_cast<BinaryOperator>(&I);
      if (Operation && Operation->isCommutative() &&
          L->isLoopInvariant(Operation->getOperand(0)) &&
          !L->isLoopInvariant(Operation->getOperand(1)))
        Operation->swapOperands();
    }
  }
  // The order of operands is not part of any analysis.
  return PreservedAnalyses::all();
}
