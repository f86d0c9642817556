#include "split_phis.h"

#include "llvm/Analysis/InstSimplifyFolder.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace {

/// The indices that lead to a part without parts.
using Path = SmallVector<unsigned, 4>;

/// Aggregates with more parts stay whole.
constexpr size_t MostParts = 16;

/// Lists the paths to the parts of a type, at most one more than `MostParts`.
void listParts(Type *T, Path &Prefix, SmallVectorImpl<Path> &Parts) {
  if (!T->isAggregateType()) {
    Parts.push_back(Prefix);
    return;
  }
  const uint64_t Count = isa<StructType>(T) ? T->getStructNumElements()
                                            : T->getArrayNumElements();
  for (uint64_t I = 0; I != Count && Parts.size() <= MostParts; ++I) {
    Prefix.push_back(I);
    listParts(GetElementPtrInst::getTypeAtIndex(T, I), Prefix, Parts);
    Prefix.pop_back();
  }
}

using Builder = IRBuilder<InstSimplifyFolder>;

/// The phi of one part of an aggregate.
PHINode *partOf(PHINode &Whole, const Path &Part, Builder &B) {
  B.SetInsertPoint(&Whole);
  Type *T = ExtractValueInst::getIndexedType(Whole.getType(), Part);
  PHINode *Phi =
      B.CreatePHI(T, Whole.getNumIncomingValues(), Whole.getName());
  // A block may come in several times, and then always with the same value.
  SmallDenseMap<BasicBlock *, Value *, 4> Incoming;
  for (unsigned I = 0; I != Whole.getNumIncomingValues(); ++I) {
    BasicBlock *Block = Whole.getIncomingBlock(I);
    Value *&Known = Incoming[Block];
    if (!Known) {
      B.SetInsertPoint(Block->getTerminator());
      Known = B.CreateExtractValue(Whole.getIncomingValue(I), Part);
    }
    Phi->addIncoming(Known, Block);
  }
  return Phi;
}

/// Replaces a phi by phis of its parts.
void split(PHINode &Whole, ArrayRef<Path> Parts, Builder &B) {
  SmallVector<PHINode *, 4> Phis;
  for (const Path &Part : Parts)
    Phis.push_back(partOf(Whole, Part, B));
  BasicBlock *Block = Whole.getParent();
  B.SetInsertPoint(Block, Block->getFirstInsertionPt());
  Value *Joined = PoisonValue::get(Whole.getType());
  for (size_t I = 0; I != Parts.size(); ++I)
    Joined = B.CreateInsertValue(Joined, Phis[I], Parts[I]);
  Whole.replaceAllUsesWith(Joined);
  Whole.eraseFromParent();
}

} // namespace

PreservedAnalyses clef::SplitPhis::run(Function &F, FunctionAnalysisManager &) {
  SmallVector<PHINode *, 8> Aggregates;
  for (BasicBlock &Block : F)
    for (PHINode &Phi : Block.phis())
      if (Phi.getType()->isAggregateType())
        Aggregates.push_back(&Phi);
  Builder B(F.getContext(), InstSimplifyFolder(F.getDataLayout()));
  bool Changed = false;
  for (PHINode *Phi : Aggregates) {
    SmallVector<Path, 4> Parts;
    Path Prefix;
    listParts(Phi->getType(), Prefix, Parts);
    if (Parts.size() > MostParts)
      continue;
    split(*Phi, Parts, B);
    Changed = true;
  }
  if (!Changed)
    return PreservedAnalyses::all();
  PreservedAnalyses Preserved;
  Preserved.preserveSet<CFGAnalyses>();
  return Preserved;
}
