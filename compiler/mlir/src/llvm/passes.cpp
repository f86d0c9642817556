// LLVM's passes, run as by `LLVMRunPasses`, with passes of our own (`split-aggregates`, `order-operands`, and intervals after the
// simplification of each function) and a workaround for a miscompilation of LLVM 22.1.8.
//
// In: a module, the machine, the text of a pipeline. Out: nothing, or the text of an error, which the caller frees.
//
// The loop vectoriser and load elimination assume that some recurrences do not wrap, and check it before the loop.
// `SCEVWrapPredicate::implies` lets a check of a wide recurrence imply one of a narrower one. In
// `base + ((x + 31) & 31)`, a recurrence of five bits within one of 32, the check of the mask is lost, and memory outside
// of the array is read. So a loop whose values can lead to checks of different widths is excluded from these passes.
// To see whether a newer LLVM still needs this: `tests/run/vectorised_indices.clef`.

#include "intervals.h"
#include "order_operands.h"
#include "split_aggregates.h"

#include "llvm-c/Core.h"
#include "llvm-c/TargetMachine.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassInstrumentation.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

namespace {

/// The widths of the integer recurrences that a loop's values are assumed not to wrap.
class AssumedWidths {
public:
  AssumedWidths(ScalarEvolution &SE, const Loop &L) : SE(SE), L(L) {
    SmallVector<const SCEVPredicate *, 4> Predicates;
    SE.getPredicatedBackedgeTakenCount(&L, Predicates);
    SE.getPredicatedSymbolicMaxBackedgeTakenCount(&L, Predicates);
    add(Predicates);
    for (BasicBlock *Block : L.blocks())
      for (Instruction &I : *Block) {
        if (isa<PHINode>(I))
          look(&I);
        else if (const Value *Address = getLoadStorePointerOperand(&I))
          look(Address);
      }
  }

  bool differ() const { return Different; }

private:
  void look(const Value *V) {
    if (!SE.isSCEVable(V->getType()))
      return;
    SmallVector<const SCEVPredicate *, 4> Predicates;
    SE.convertSCEVToAddRecWithPredicates(SE.getSCEV(const_cast<Value *>(V)), &L,
                                         Predicates);
    add(Predicates);
  }

  void add(ArrayRef<const SCEVPredicate *> Predicates) {
    for (const SCEVPredicate *Predicate : Predicates) {
      if (const auto *Union = dyn_cast<SCEVUnionPredicate>(Predicate)) {
        add(Union->getPredicates());
        continue;
      }
      const auto *Wrap = dyn_cast<SCEVWrapPredicate>(Predicate);
      if (!Wrap || !Wrap->getExpr()->getType()->isIntegerTy())
        continue;
      const uint64_t Bits = SE.getTypeSizeInBits(Wrap->getExpr()->getType());
      Different |= Width != 0 && Width != Bits;
      Width = Bits;
    }
  }

  ScalarEvolution &SE;
  const Loop &L;
  uint64_t Width = 0;
  bool Different = false;
};

/// Disables vectorisation of the loops of a function that would lose checks; returns whether there are any.
bool keepLosingLoops(Function &F, FunctionAnalysisManager &FAM) {
  ScalarEvolution &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
  bool Any = false;
  for (Loop *L : FAM.getResult<LoopAnalysis>(F).getLoopsInPreorder()) {
    if (!L->isInnermost() || !AssumedWidths(SE, *L).differ())
      continue;
    addStringMetadataToLoop(L, "llvm.loop.vectorize.enable", false);
    Any = true;
  }
  return Any;
}

} // namespace

extern "C" char *clef_llvm_run_passes(LLVMModuleRef M, const char *Passes,
                                      LLVMTargetMachineRef Machine) {
  LoopAnalysisManager LAM;
  FunctionAnalysisManager FAM;
  CGSCCAnalysisManager CGAM;
  ModuleAnalysisManager MAM;
  PassInstrumentationCallbacks PIC;
  PIC.registerShouldRunOptionalPassCallback([&FAM](StringRef Pass, Any IR) {
    // The SLP vectoriser would join loads of words that were just stored into
    // the load of a vector, to which processors cannot forward the stores.
    if (Pass == "SLPVectorizerPass")
      return false;
    const bool Eliminates = Pass == "LoopLoadEliminationPass";
    if (!Eliminates && Pass != "LoopVectorizePass")
      return true;
    const auto *F = any_cast<const Function *>(&IR);
    const bool Losing = F && keepLosingLoops(const_cast<Function &>(**F), FAM);
    return !(Eliminates && Losing);
  });
  PassBuilder Builder(reinterpret_cast<TargetMachine *>(Machine),
                      PipelineTuningOptions(), std::nullopt, &PIC);
  Builder.registerPipelineParsingCallback(
      [](StringRef Name, FunctionPassManager &Passes,
         ArrayRef<PassBuilder::PipelineElement>) {
        if (Name == "split-aggregates")
          Passes.addPass(clef::SplitAggregates());
        else if (Name == "order-operands")
          Passes.addPass(clef::OrderOperands());
        else
          return false;
        return true;
      });
  Builder.registerScalarOptimizerLateEPCallback(
      [](FunctionPassManager &Passes, OptimizationLevel) {
        Passes.addPass(clef::Intervals());
      });
  Builder.registerLoopAnalyses(LAM);
  Builder.registerFunctionAnalyses(FAM);
  Builder.registerCGSCCAnalyses(CGAM);
  Builder.registerModuleAnalyses(MAM);
  Builder.crossRegisterProxies(LAM, FAM, CGAM, MAM);
  ModulePassManager Pipeline;
  if (Error Wrong = Builder.parsePassPipeline(Pipeline, Passes))
    return LLVMCreateMessage(toString(std::move(Wrong)).c_str());
  Pipeline.run(*unwrap(M), MAM);
  return nullptr;
}
