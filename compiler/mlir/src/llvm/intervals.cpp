#include "intervals.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/ConstantRange.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

/// Passes over the function in which intervals grow as they do, to the next constant, and to all numbers. After the last,
/// nothing is known.
constexpr unsigned FreePasses = 2, ThresholdPasses = 12, MostPasses = 24;

/// The conditions on a value that are considered.
constexpr size_t MostConditions = 16;

/// A comparison of a value, plus a constant, that holds in a block and the blocks that it dominates.
struct Condition {
  const BasicBlock *Holds;
  CmpInst::Predicate Predicate;
  Value *Other;
  APInt Plus;
};

bool isNumber(const Value *V) {
  return V->getType()->isIntegerTy() && V->getType()->getIntegerBitWidth() > 1 &&
         V->getType()->getIntegerBitWidth() <= 64;
}

ConstantRange everything(const Value *V) {
  return ConstantRange::getFull(V->getType()->getIntegerBitWidth());
}

ConstantRange joined(const ConstantRange &One, const ConstantRange &Other) {
  return One.unionWith(Other, ConstantRange::Signed);
}

class Analysis {
public:
  Analysis(Function &F, const DominatorTree &DT) : DT(DT), Order(&F) {
    for (BasicBlock *Block : Order)
      collect(*Block);
    sort(Thresholds);
  }

  /// Finds the intervals; returns whether they are known.
  bool solve() {
    for (unsigned Pass = 0; Pass != MostPasses; ++Pass)
      if (!grow(Pass)) {
        shrink();
        return true;
      }
    return false;
  }

  /// The interval of a value in a block.
  ConstantRange in(Value *V, const BasicBlock *Block) const {
    ConstantRange Range = known(V);
    auto Found = Conditions.find(V);
    if (Found == Conditions.end())
      return Range;
    for (const Condition &C : Found->second)
      if (DT.dominates(C.Holds, Block))
        Range = Range.intersectWith(allowed(C), ConstantRange::Signed);
    return Range;
  }

private:
  using Ranges = DenseMap<const Value *, ConstantRange>;

  /// The interval of a value where it is defined; empty if it was not reached yet.
  ConstantRange known(Value *V) const {
    if (auto *Constant = dyn_cast<ConstantInt>(V))
      return ConstantRange(Constant->getValue());
    if (auto *A = dyn_cast<Argument>(V))
      return A->getRange().value_or(everything(V));
    if (!isa<Instruction>(V))
      return everything(V);
    auto Found = Known.find(V);
    return Found == Known.end()
               ? ConstantRange::getEmpty(V->getType()->getIntegerBitWidth())
               : Found->second;
  }

  ConstantRange allowed(const Condition &C) const {
    const ConstantRange Other = known(C.Other);
    // Nothing has reached the other value, so nothing has reached the block.
    if (Other.isEmptySet())
      return Other;
    return ConstantRange::makeAllowedICmpRegion(C.Predicate, Other)
        .subtract(C.Plus);
  }

  /// Records what a comparison that holds in a block says of its operands.
  void assume(ICmpInst *Compare, bool Holds, const BasicBlock *Block) {
    if (!isNumber(Compare->getOperand(0)))
      return;
    const auto Predicate =
        Holds ? Compare->getPredicate() : Compare->getInversePredicate();
    Value *One = Compare->getOperand(0), *Other = Compare->getOperand(1);
    const unsigned Bits = One->getType()->getIntegerBitWidth();
    record(One, {Block, Predicate, Other, APInt(Bits, 0)});
    record(Other, {Block, CmpInst::getSwappedPredicate(Predicate), One,
                   APInt(Bits, 0)});
    Value *Base;
    const APInt *Plus;
    if (match(One, m_Add(m_Value(Base), m_APInt(Plus))))
      record(Base, {Block, Predicate, Other, *Plus});
  }

  void record(Value *V, Condition C) {
    if (isa<Constant>(V))
      return;
    auto &All = Conditions[V];
    if (All.size() < MostConditions)
      All.push_back(std::move(C));
  }

  /// Collects the conditions that hold after a block, and the constants that it compares with.
  void collect(BasicBlock &Block) {
    for (Instruction &I : Block) {
      const APInt *Constant;
      if (match(&I, m_ICmp(m_Value(), m_APInt(Constant))) &&
          Constant->getBitWidth() <= 64)
        for (int64_t Near : {-1, 0, 1})
          Thresholds.push_back(Constant->getSExtValue() + uint64_t(Near));
    }
    auto *Branch = dyn_cast<BranchInst>(Block.getTerminator());
    if (!Branch || !Branch->isConditional())
      return;
    for (unsigned Side : {0, 1}) {
      BasicBlock *Next = Branch->getSuccessor(Side);
      if (Next->getSinglePredecessor())
        assumeAll(Branch->getCondition(), Side == 0, Next);
    }
  }

  /// Records the comparisons of a condition that hold with it.
  void assumeAll(Value *V, bool Holds, const BasicBlock *Block) {
    SmallVector<Value *, 4> Open{V};
    for (unsigned Steps = 0; !Open.empty() && Steps != MostConditions; ++Steps) {
      Value *Next = Open.pop_back_val(), *One, *Other;
      if (auto *Compare = dyn_cast<ICmpInst>(Next))
        assume(Compare, Holds, Block);
      else if (Holds ? match(Next, m_LogicalAnd(m_Value(One), m_Value(Other)))
                     : match(Next, m_LogicalOr(m_Value(One), m_Value(Other))))
        Open.append({One, Other});
    }
  }

  /// The interval of a value that comes over an edge to a phi.
  ConstantRange over(Value *V, BasicBlock *From, const BasicBlock *To) const {
    ConstantRange Range = in(V, From);
    auto *Branch = dyn_cast<BranchInst>(From->getTerminator());
    if (!Branch || !Branch->isConditional() ||
        Branch->getSuccessor(0) == Branch->getSuccessor(1))
      return Range;
    auto *Compare = dyn_cast<ICmpInst>(Branch->getCondition());
    return Compare ? under(V, Range, *Compare, Branch->getSuccessor(0) == To,
                           From)
                   : Range;
  }

  /// The interval of a value where a comparison of it, or of what a constant is added to for it, holds.
  ConstantRange under(Value *V, ConstantRange Range, ICmpInst &Compare,
                      bool Holds, const BasicBlock *Block) const {
    Value *Compared = Compare.getOperand(0);
    if (!isNumber(Compared) || isa<Constant>(Compared))
      return Range;
    const ConstantRange Other = in(Compare.getOperand(1), Block);
    if (Other.isEmptySet())
      return Range;
    const auto Predicate =
        Holds ? Compare.getPredicate() : Compare.getInversePredicate();
    const auto Region = ConstantRange::makeAllowedICmpRegion(Predicate, Other);
    if (V == Compared)
      return Range.intersectWith(Region, ConstantRange::Signed);
    const APInt *Plus;
    if (match(V, m_Add(m_Specific(Compared), m_APInt(Plus))))
      return Range.intersectWith(
          in(Compared, Block).intersectWith(Region, ConstantRange::Signed).add(*Plus),
          ConstantRange::Signed);
    return Range;
  }

  /// The interval of an instruction, by those of its operands.
  ConstantRange computed(Instruction &I) const {
    const BasicBlock *Block = I.getParent();
    if (auto *Phi = dyn_cast<PHINode>(&I)) {
      auto Range = ConstantRange::getEmpty(I.getType()->getIntegerBitWidth());
      for (unsigned N = 0; N != Phi->getNumIncomingValues(); ++N)
        Range = joined(Range, over(Phi->getIncomingValue(N),
                                   Phi->getIncomingBlock(N), Block));
      return Range;
    }
    if (auto *Operation = dyn_cast<BinaryOperator>(&I))
      return binary(*Operation);
    if (auto *Cast = dyn_cast<CastInst>(&I))
      return isa<TruncInst, ZExtInst, SExtInst>(Cast) &&
                     isNumber(Cast->getOperand(0))
                 ? in(Cast->getOperand(0), Block)
                       .castOp(Cast->getOpcode(), I.getType()->getIntegerBitWidth())
                 : everything(&I);
    if (auto *Select = dyn_cast<SelectInst>(&I))
      return chosen(*Select);
    if (auto *Call = dyn_cast<IntrinsicInst>(&I))
      if (ConstantRange::isIntrinsicSupported(Call->getIntrinsicID()) &&
          all_of(Call->args(), [](Value *V) { return isNumber(V); }))
        return ConstantRange::intrinsic(
            Call->getIntrinsicID(),
            map_to_vector(Call->args(), [&](Value *V) { return in(V, Block); }));
    if (auto *Call = dyn_cast<CallBase>(&I))
      return Call->getRange().value_or(everything(&I));
    if (const MDNode *Range = I.getMetadata(LLVMContext::MD_range))
      return getConstantRangeFromMetadata(*Range);
    return everything(&I);
  }

  ConstantRange binary(BinaryOperator &I) const {
    const auto One = in(I.getOperand(0), I.getParent());
    const auto Other = in(I.getOperand(1), I.getParent());
    auto *Wrapping = dyn_cast<OverflowingBinaryOperator>(&I);
    return Wrapping ? One.overflowingBinaryOp(I.getOpcode(), Other,
                                              Wrapping->getNoWrapKind())
                    : One.binaryOp(I.getOpcode(), Other);
  }

  ConstantRange chosen(SelectInst &I) const {
    const BasicBlock *Block = I.getParent();
    auto One = in(I.getTrueValue(), Block), Other = in(I.getFalseValue(), Block);
    if (auto *Compare = dyn_cast<ICmpInst>(I.getCondition())) {
      One = under(I.getTrueValue(), One, *Compare, true, Block);
      Other = under(I.getFalseValue(), Other, *Compare, false, Block);
    }
    return joined(One, Other);
  }

  /// Lets intervals grow to what their operations give; returns whether one did. If none does, all operations keep them.
  bool grow(unsigned Pass) {
    bool Changed = false;
    for (BasicBlock *Block : Order)
      for (Instruction &I : *Block) {
        if (!isNumber(&I))
          continue;
        const ConstantRange Old = known(&I), New = computed(I);
        if (Old.contains(New))
          continue;
        Changed = true;
        ConstantRange Grown = joined(Old, New);
        if (isa<PHINode>(I) && Pass >= FreePasses)
          Grown = Pass < ThresholdPasses ? widened(Old, Grown) : everything(&I);
        Known.insert_or_assign(&I, Grown);
      }
    return Changed;
  }

  /// An interval whose bounds that have grown are those of the next constants.
  ConstantRange widened(const ConstantRange &Old, const ConstantRange &New) const {
    if (Old.isEmptySet() || New.isFullSet() || New.isSignWrappedSet())
      return New;
    const unsigned Bits = New.getBitWidth();
    APInt Least = New.getSignedMin(), Most = New.getSignedMax();
    if (Least.slt(Old.getSignedMin())) {
      auto *Above = upper_bound(Thresholds, Least.getSExtValue());
      const APInt Lowest = APInt::getSignedMinValue(Bits);
      Least = Above == Thresholds.begin() || *(Above - 1) < Lowest.getSExtValue()
                  ? Lowest
                  : APInt(Bits, *(Above - 1), true);
    }
    if (Most.sgt(Old.getSignedMax())) {
      auto *From = lower_bound(Thresholds, Most.getSExtValue());
      const APInt Highest = APInt::getSignedMaxValue(Bits);
      Most = From == Thresholds.end() || *From > Highest.getSExtValue()
                 ? Highest
                 : APInt(Bits, *From, true);
    }
    return ConstantRange::getNonEmpty(Least, Most + 1);
  }

  /// Makes intervals smaller while all operations keep them: what was widened is often known better afterwards.
  void shrink() {
    const Ranges Kept = Known;
    for (unsigned Pass = 0; Pass != FreePasses; ++Pass)
      each([&](Instruction &I, const ConstantRange &Old) {
        const ConstantRange New = computed(I);
        if (Old.contains(New))
          Known.insert_or_assign(&I, New);
      });
    bool Keeps = true;
    each([&](Instruction &I, const ConstantRange &Old) {
      Keeps &= Old.contains(computed(I));
    });
    if (!Keeps)
      Known = Kept;
  }

  void each(function_ref<void(Instruction &, const ConstantRange &)> Visit) {
    for (BasicBlock *Block : Order)
      for (Instruction &I : *Block)
        if (isNumber(&I))
          Visit(I, known(&I));
  }

  const DominatorTree &DT;
  ReversePostOrderTraversal<Function *> Order;
  Ranges Known;
  DenseMap<const Value *, SmallVector<Condition, 2>> Conditions;
  SmallVector<int64_t, 16> Thresholds;
};

/// A comparison's result, if it follows.
Constant *decided(const ICmpInst &Compare, const ConstantRange &One,
                  const ConstantRange &Other) {
  if (One.icmp(Compare.getPredicate(), Other))
    return ConstantInt::getTrue(Compare.getType());
  if (One.icmp(Compare.getInversePredicate(), Other))
    return ConstantInt::getFalse(Compare.getType());
  return nullptr;
}

/// The remainder of a number below twice the divisor, by a comparison and a subtraction.
Value *remainder(BinaryOperator &I, const ConstantRange &Number) {
  const APInt *Divisor;
  if (!match(I.getOperand(1), m_APInt(Divisor)))
    return nullptr;
  bool Overflows;
  const APInt Twice = Divisor->ushl_ov(1, Overflows);
  if (Overflows || Number.getUnsignedMax().uge(Twice))
    return nullptr;
  if (Number.getUnsignedMax().ult(*Divisor))
    return I.getOperand(0);
  IRBuilder<> B(&I);
  Value *Same = B.CreateFreeze(I.getOperand(0));
  return B.CreateSelect(B.CreateICmpULT(Same, I.getOperand(1)), Same,
                        B.CreateSub(Same, I.getOperand(1)));
}

/// What is the same and simpler where the operands have these intervals.
Value *simpler(Instruction &I, const ConstantRange &One,
               const ConstantRange &Other) {
  if (auto *Compare = dyn_cast<ICmpInst>(&I))
    return decided(*Compare, One, Other);
  auto *Operation = dyn_cast<BinaryOperator>(&I);
  if (!Operation || !One.isAllNonNegative())
    return nullptr;
  IRBuilder<> B(&I);
  switch (Operation->getOpcode()) {
  case Instruction::SRem:
  case Instruction::URem:
    if (!Other.isAllNonNegative())
      return nullptr;
    if (Value *Result = remainder(*Operation, One))
      return Result;
    return Operation->getOpcode() == Instruction::SRem
               ? B.CreateURem(I.getOperand(0), I.getOperand(1))
               : nullptr;
  case Instruction::SDiv:
    return Other.isAllNonNegative()
               ? B.CreateUDiv(I.getOperand(0), I.getOperand(1), "", I.isExact())
               : nullptr;
  case Instruction::AShr:
    return B.CreateLShr(I.getOperand(0), I.getOperand(1), "", I.isExact());
  default:
    return nullptr;
  }
}

/// Rewrites an instruction by the intervals of its operands; returns whether it did.
bool rewrite(Instruction &I, const Analysis &Found) {
  const bool HasTwo = isa<ICmpInst, BinaryOperator>(I);
  if ((!HasTwo && !isa<SExtInst>(I)) || !isNumber(I.getOperand(0)))
    return false;
  const auto One = Found.in(I.getOperand(0), I.getParent());
  // Nothing reaches the instruction.
  if (One.isEmptySet())
    return false;
  if (!HasTwo) {
    if (!One.isAllNonNegative())
      return false;
    IRBuilder<> B(&I);
    I.replaceAllUsesWith(B.CreateZExt(I.getOperand(0), I.getType(), "", true));
    return true;
  }
  const auto Other = Found.in(I.getOperand(1), I.getParent());
  if (Other.isEmptySet())
    return false;
  Value *Result = simpler(I, One, Other);
  if (Result)
    I.replaceAllUsesWith(Result);
  return Result;
}

} // namespace

PreservedAnalyses clef::Intervals::run(Function &F,
                                       FunctionAnalysisManager &FAM) {
  // Without loops, LLVM's passes find the same.
  if (FAM.getResult<LoopAnalysis>(F).empty())
    return PreservedAnalyses::all();
  const DominatorTree &DT = FAM.getResult<DominatorTreeAnalysis>(F);
  Analysis Found(F, DT);
  if (!Found.solve())
    return PreservedAnalyses::all();
  bool Changed = false;
  // Comparisons first: nothing is known of what replaces their operands.
  for (bool Compares : {true, false})
    for (BasicBlock &Block : F)
      if (DT.isReachableFromEntry(&Block))
        for (Instruction &I : make_early_inc_range(Block))
          if (isa<ICmpInst>(I) == Compares)
            Changed |= rewrite(I, Found);
  if (!Changed)
    return PreservedAnalyses::all();
  PreservedAnalyses Preserved;
  Preserved.preserveSet<CFGAnalyses>();
  return Preserved;
}
