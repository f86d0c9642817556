// What the C API of LLVM lacks for debug information.
//
// In: a module with a compilation unit, which translation from MLIR added. Out: a builder that adds to this unit; tables
// for unwinding that only debuggers read.

#include "llvm-c/DebugInfo.h"
#include "llvm-c/TargetMachine.h"
#include "llvm/IR/DIBuilder.h"
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
