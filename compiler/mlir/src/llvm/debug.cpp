// What the C API of LLVM lacks for debug information.
//
// In: a module with a compilation unit, which translation from MLIR added. Out: builders that add to this unit, and to
// others for what has no code; descriptions of constants by their values, and of functions that call the program; tables
// for unwinding that only debuggers read.

#include "llvm-c/DebugInfo.h"
#include "llvm-c/TargetMachine.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DIBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;

/// Null if the module has no unit.
extern "C" LLVMDIBuilderRef clef_llvm_debug_builder(LLVMModuleRef Program) {
  Module &M = *unwrap(Program);
  for (DICompileUnit *Unit : M.debug_compile_units())
    return wrap(new DIBuilder(M, true, Unit));
  return nullptr;
}

/// A builder that adds to a new unit, which is the first or the last one and otherwise like that of the program.
extern "C" LLVMDIBuilderRef clef_llvm_debug_unit(LLVMModuleRef Program,
                                                 LLVMMetadataRef Like,
                                                 uint16_t Language,
                                                 bool IsFirst) {
  Module &M = *unwrap(Program);
  auto *Known = unwrap<DICompileUnit>(Like);
  auto *Builder = new DIBuilder(M, true);
  DICompileUnit *Unit = Builder->createCompileUnit(
      DISourceLanguageName(Language), Known->getFile(), Known->getProducer(),
      Known->isOptimized(), "", 0);
  if (IsFirst) {
    NamedMDNode *Units = M.getNamedMetadata("llvm.dbg.cu");
    for (unsigned I = Units->getNumOperands() - 1; I != 0; --I)
      Units->setOperand(I, Units->getOperand(I - 1));
    Units->setOperand(0, Unit);
  }
  return wrap(Builder);
}

/// The first unit of a module that has one.
extern "C" LLVMMetadataRef clef_llvm_debug_first_unit(LLVMModuleRef Program) {
  return wrap(*unwrap(Program)->debug_compile_units_begin());
}

/// Keeps a type that no variable has.
extern "C" void clef_llvm_debug_retain(LLVMDIBuilderRef Builder,
                                       LLVMMetadataRef Type) {
  unwrap(Builder)->retainType(unwrap<DIType>(Type));
}

namespace {

using Described = DIGlobalVariableExpression;

/// The largest number of machine values of a constant that is described by them.
constexpr size_t MostParts = 16;

/// A machine value within a constant: a number, or an address of a variable.
struct Part {
  uint64_t Offset, Bits, Number;
  GlobalVariable *Variable;
};

/// Finds the parts of a constant; fails where one cannot be described. What is undefined has none.
bool findParts(const DataLayout &Layout, Constant *C, uint64_t Offset,
               SmallVectorImpl<Part> &Parts) {
  if (isa<UndefValue>(C))
    return true;
  if (auto *Struct = dyn_cast<StructType>(C->getType())) {
    const StructLayout *Members = Layout.getStructLayout(Struct);
    for (unsigned I = 0; I != Struct->getNumElements(); ++I) {
      Constant *Member = C->getAggregateElement(I);
      uint64_t At = Offset + Members->getElementOffsetInBits(I);
      if (!Member || !findParts(Layout, Member, At, Parts))
        return false;
    }
    return Parts.size() <= MostParts;
  }
  // Members without addresses are bytes, which need not be divided where members are.
  if (auto *Bytes = dyn_cast<ConstantDataSequential>(C);
      Bytes && Bytes->getElementType()->isIntegerTy(8)) {
    for (uint64_t I = 0; I < Bytes->getNumElements(); I += 8) {
      const uint64_t Count =
          std::min<uint64_t>(Bytes->getNumElements() - I, 8);
      uint64_t Number = 0;
      for (uint64_t J = 0; J != Count; ++J)
        Number |= Bytes->getElementAsInteger(I + J) << (8 * J);
      Parts.push_back({Offset + 8 * I, 8 * Count, Number, nullptr});
    }
    return Parts.size() <= MostParts;
  }
  if (auto *Array = dyn_cast<ArrayType>(C->getType());
      Array && isa<ConstantAggregateZero>(C)) {
    const uint64_t Bits = Layout.getTypeStoreSizeInBits(Array);
    for (uint64_t At = 0; At < Bits; At += 64)
      Parts.push_back(
          {Offset + At, std::min<uint64_t>(Bits - At, 64), 0, nullptr});
    return Parts.size() <= MostParts;
  }
  const uint64_t Bits = Layout.getTypeStoreSizeInBits(C->getType());
  if (Bits > 64)
    return false;
  if (auto *Address = dyn_cast<ConstantExpr>(C);
      Address && Address->getOpcode() == Instruction::IntToPtr)
    C = Address->getOperand(0);
  Part Found = {Offset, Bits, 0, nullptr};
  if (auto *Number = dyn_cast<ConstantInt>(C)) {
    Found.Number = Number->getZExtValue();
  } else if (auto *Number = dyn_cast<ConstantFP>(C)) {
    Found.Number = Number->getValueAPF().bitcastToAPInt().getZExtValue();
  } else if (C->getType()->isPointerTy() && !isa<ConstantPointerNull>(C)) {
    APInt Within(Layout.getIndexTypeSizeInBits(C->getType()), 0);
    Found.Variable = dyn_cast<GlobalVariable>(
        C->stripAndAccumulateConstantOffsets(Layout, Within, true));
    Found.Number = Within.getZExtValue();
    if (!Found.Variable)
      return false;
  } else if (!isa<ConstantPointerNull>(C)) {
    return false;
  }
  Parts.push_back(Found);
  return true;
}

/// A variable, as far as it is one part.
Described *describePart(LLVMContext &Context, DIGlobalVariable *Variable,
                        const Part &Of) {
  SmallVector<uint64_t, 8> Operations;
  if (!Of.Variable)
    Operations.append({dwarf::DW_OP_constu, Of.Number});
  else if (Of.Number)
    Operations.append({dwarf::DW_OP_plus_uconst, Of.Number});
  Operations.push_back(dwarf::DW_OP_stack_value);
  if (Of.Bits != Variable->getSizeInBits())
    Operations.append({dwarf::DW_OP_LLVM_fragment, Of.Offset, Of.Bits});
  Described *Part = Described::get(Context, Variable,
                                   DIExpression::get(Context, Operations));
  if (Of.Variable)
    Of.Variable->addDebugInfo(Part);
  return Part;
}

/// Replaces the descriptions of variables in all units.
template <typename Replace>
void replaceVariables(Module &M, const Replace &By) {
  for (DICompileUnit *Unit : M.debug_compile_units()) {
    SmallVector<Metadata *> All;
    for (Described *Known : Unit->getGlobalVariables())
      By(Known, All);
    Unit->replaceGlobalVariables(MDTuple::get(M.getContext(), All));
  }
}

} // namespace

/// Describes constants by their values instead of their places: LLVM removes those whose loads it folds.
extern "C" void clef_llvm_debug_constants(LLVMModuleRef Program) {
  Module &M = *unwrap(Program);
  DenseMap<Described *, SmallVector<Part, 4>> Constants;
  for (GlobalVariable &V : M.globals()) {
    SmallVector<Described *, 2> Known;
    V.getDebugInfo(Known);
    SmallVector<Part, 4> Parts;
    if (Known.empty() || !V.isConstant() || !V.hasInitializer() ||
        !findParts(M.getDataLayout(), V.getInitializer(), 0, Parts))
      continue;
    for (Described *One : Known) {
      // What follows the last member is in no variable.
      const uint64_t Size = One->getVariable()->getSizeInBits().value_or(0);
      for (Part Of : Parts)
        if (Of.Offset < Size) {
          Of.Bits = std::min(Of.Bits, Size - Of.Offset);
          Constants[One].push_back(Of);
        }
    }
    V.eraseMetadata(LLVMContext::MD_dbg);
  }
  replaceVariables(M, [&](Described *Known, SmallVectorImpl<Metadata *> &All) {
    auto Found = Constants.find(Known);
    if (Found == Constants.end())
      return All.push_back(Known);
    for (const Part &Of : Found->second)
      All.push_back(describePart(M.getContext(), Known->getVariable(), Of));
  });
}

/// Removes the definitions of module-level values that are in memory no longer: a debugger would look for the symbol of
/// one that is only declared.
extern "C" void clef_llvm_debug_removed(LLVMModuleRef Program) {
  Module &M = *unwrap(Program);
  DenseSet<Described *> InMemory;
  for (GlobalVariable &V : M.globals()) {
    SmallVector<Described *, 2> Known;
    V.getDebugInfo(Known);
    InMemory.insert(Known.begin(), Known.end());
  }
  replaceVariables(M, [&](Described *Known, SmallVectorImpl<Metadata *> &All) {
    if (!Known->getVariable()->getStaticDataMemberDeclaration() ||
        Known->getExpression()->isConstant() || InMemory.contains(Known))
      All.push_back(Known);
  });
}

/// The last two parts of the path of a function of the runtime: `boot::run`.
static std::string shortName(StringRef Symbol) {
  std::string Name = demangle(Symbol);
  StringRef Path = Name;
  // The hash of a function of Rust.
  if (Path != Symbol && Path.rsplit("::").second.starts_with("h"))
    Path = Path.rsplit("::").first;
  auto [Outer, Function] = Path.rsplit("::");
  size_t Module = Outer.rfind("::");
  return (Module == StringRef::npos ? Path : Path.substr(Module + 2)).str();
}

/// Describes the functions that lead to the program and have no description: inlining keeps the places of code only in
/// functions that are described. They have no lines, as their source is not the user's.
extern "C" void clef_llvm_debug_callers(LLVMModuleRef Program) {
  Module &M = *unwrap(Program);
  if (M.debug_compile_units().empty())
    return;
  SmallVector<Function *> Described;
  for (Function &F : M)
    if (F.getSubprogram())
      Described.push_back(&F);
  if (Described.empty())
    return;
  DICompileUnit *Unit = Described.front()->getSubprogram()->getUnit();
  DIBuilder Builder(M, true, Unit);
  DIFile *File = Unit->getFile();
  DISubroutineType *Type =
      Builder.createSubroutineType(Builder.getOrCreateTypeArray({}));
  while (!Described.empty())
    for (User *U : Described.pop_back_val()->users()) {
      auto *Call = dyn_cast<CallBase>(U);
      Function *Caller = Call ? Call->getFunction() : nullptr;
      if (!Caller || Caller->getSubprogram())
        continue;
      DISubprogram *Known = Builder.createFunction(
          Unit, shortName(Caller->getName()), "", File, 0, Type, 0,
          DINode::FlagArtificial, DISubprogram::SPFlagDefinition);
      Caller->setSubprogram(Known);
      for (Instruction &I : instructions(Caller))
        if (isa<CallBase>(I) && !I.getDebugLoc())
          I.setDebugLoc(DILocation::get(M.getContext(), 0, 0, Known));
      Described.push_back(Caller);
    }
  Builder.finalize();
}

/// Removes the personalities of functions, none of which unwinds: one function that has a personality moves the unwind
/// tables of all from the debug information to memory.
extern "C" void clef_llvm_debug_personalities(LLVMModuleRef Program) {
  for (Function &F : *unwrap(Program))
    if (F.hasPersonalityFn())
      F.setPersonalityFn(nullptr);
}

/// Makes a machine write `.debug_frame` for all programs.
extern "C" void clef_llvm_debug_frames(LLVMTargetMachineRef Machine) {
  reinterpret_cast<TargetMachine *>(Machine)->Options.ForceDwarfFrameSection =
      true;
}
