#include "split_aggregates.h"

#include "llvm/Analysis/InstSimplifyFolder.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
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

/// The offset of a part in bytes.
uint64_t offsetOf(Type *T, const Path &Part, const DataLayout &Layout) {
  uint64_t Offset = 0;
  for (unsigned Index : Part) {
    Type *Inner = GetElementPtrInst::getTypeAtIndex(T, uint64_t(Index));
    if (auto *Struct = dyn_cast<StructType>(T))
      Offset += Layout.getStructLayout(Struct)->getElementOffset(Index);
    else
      Offset += Index * Layout.getTypeAllocSize(Inner).getFixedValue();
    T = Inner;
  }
  return Offset;
}

/// Replaces a store by stores of the parts that are defined.
void split(StoreInst &Whole, ArrayRef<Path> Parts, Builder &B) {
  Value *Stored = Whole.getValueOperand();
  const DataLayout &Layout = Whole.getDataLayout();
  B.SetInsertPoint(&Whole);
  for (const Path &Part : Parts) {
    Value *V = B.CreateExtractValue(Stored, Part);
    if (isa<UndefValue>(V))
      continue;
    const uint64_t Offset = offsetOf(Stored->getType(), Part, Layout);
    Value *Address = B.CreateConstInBoundsGEP1_64(
        B.getInt8Ty(), Whole.getPointerOperand(), Offset);
    StoreInst *Store = B.CreateAlignedStore(
        V, Address, commonAlignment(Whole.getAlign(), Offset));
    Store->copyMetadata(Whole,
                        {LLVMContext::MD_alias_scope, LLVMContext::MD_noalias});
  }
  Whole.eraseFromParent();
}

/// Whether a store writes parts that are known by themselves, and not a copy.
bool writesParts(const StoreInst &Store) {
  const Value *Stored = Store.getValueOperand();
  return Store.isSimple() && Stored->getType()->isAggregateType() &&
         (isa<InsertValueInst>(Stored) || isa<Constant>(Stored));
}

/// Splits those of the instructions whose aggregates have few parts; returns whether there are any.
template <typename Instructions>
bool splitAll(const Instructions &All, Type *(*TypeOf)(const Instruction &),
              Builder &B) {
  bool Changed = false;
  for (auto *I : All) {
    SmallVector<Path, 4> Parts;
    Path Prefix;
    listParts(TypeOf(*I), Prefix, Parts);
    if (Parts.size() > MostParts)
      continue;
    split(*I, Parts, B);
    Changed = true;
  }
  return Changed;
}

} // namespace

PreservedAnalyses clef::SplitAggregates::run(Function &F,
                                             FunctionAnalysisManager &) {
  SmallVector<PHINode *, 8> Phis;
  for (BasicBlock &Block : F)
    for (PHINode &Phi : Block.phis())
      if (Phi.getType()->isAggregateType())
        Phis.push_back(&Phi);
  Builder B(F.getContext(), InstSimplifyFolder(F.getDataLayout()));
  bool Changed = splitAll(
      Phis, +[](const Instruction &I) { return I.getType(); }, B);
  // After the phis, whose parts may be stored.
  SmallVector<StoreInst *, 8> Stores;
  for (Instruction &I : instructions(F))
    if (auto *Store = dyn_cast<StoreInst>(&I); Store && writesParts(*Store))
      Stores.push_back(Store);
  Changed |= splitAll(
      Stores, +[](const Instruction &I) { return I.getOperand(0)->getType(); },
      B);
  if (!Changed)
    return PreservedAnalyses::all();
  PreservedAnalyses Preserved;
  Preserved.preserveSet<CFGAnalyses>();
  return Preserved;
}
