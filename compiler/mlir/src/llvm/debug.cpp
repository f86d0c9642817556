// What the C API of LLVM lacks for debug information.
//
// In: a module with a compilation unit, which translation from MLIR added. Out: a builder that adds to this unit;
// descriptions of functions that call the program; tables for unwinding that only debuggers read.

#include "llvm-c/DebugInfo.h"
#include "llvm-c/TargetMachine.h"
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

/// Keeps a type that no variable has.
extern "C" void clef_llvm_debug_retain(LLVMDIBuilderRef Builder,
                                       LLVMMetadataRef Type) {
  unwrap(Builder)->retainType(unwrap<DIType>(Type));
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
  DICompileUnit *Unit = *M.debug_compile_units_begin();
  DIBuilder Builder(M, true, Unit);
  DIFile *File = Unit->getFile();
  DISubroutineType *Type =
      Builder.createSubroutineType(Builder.getOrCreateTypeArray({}));
  SmallVector<Function *> Described;
  for (Function &F : M)
    if (F.getSubprogram())
      Described.push_back(&F);
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
