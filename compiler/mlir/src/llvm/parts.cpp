// Reads a part of a module, without the bodies of the other functions.
//
// In: the bitcode of a module, and the functions that the part defines or copies. Out: a module with these, and with
// declarations of everything else. The first part also defines the variables and the
// functions in assembly. What parts share is visible to the linker,
// but not outside of the image. The bodies of other functions are never read, which LLVM's own way of splitting a module
// in memory would copy one part after the other.

#include "llvm-c/Core.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MemoryBufferRef.h"

using namespace llvm;

namespace {

/// The size of the largest constant that each part knows, in bytes.
constexpr uint64_t LargestCopiedConstant = 256;

void share(GlobalValue &V) {
  if (!V.hasLocalLinkage())
    return;
  V.setLinkage(GlobalValue::ExternalLinkage);
  V.setVisibility(GlobalValue::HiddenVisibility);
}

/// Whether other parts may know the value of a variable.
bool isCopied(const GlobalVariable &V) {
  return V.isConstant() && V.hasDefinitiveInitializer() &&
         V.getParent()->getDataLayout().getTypeAllocSize(V.getValueType()) <=
             LargestCopiedConstant;
}

void declare(GlobalVariable &V) {
  if (isCopied(V)) {
    V.setLinkage(GlobalValue::AvailableExternallyLinkage);
    return;
  }
  V.setInitializer(nullptr);
  V.setLinkage(GlobalValue::ExternalLinkage);
  V.clearMetadata();
}

Error keepPart(Module &M, const StringSet<> &Defined, const StringSet<> &Copied,
               bool WithVariables) {
  if (!WithVariables) {
    M.setModuleInlineAsm("");
    for (DICompileUnit *Unit : M.debug_compile_units())
      Unit->replaceGlobalVariables(nullptr);
  }
  for (Function &F : make_early_inc_range(M)) {
    if (F.isDeclaration())
      continue;
    share(F);
    const bool IsCopied = Copied.contains(F.getName());
    if (!IsCopied && !Defined.contains(F.getName())) {
      F.deleteBody();
      continue;
    }
    if (Error Wrong = F.materialize())
      return Wrong;
    if (IsCopied)
      F.setLinkage(GlobalValue::AvailableExternallyLinkage);
  }
  for (GlobalVariable &V : make_early_inc_range(M.globals())) {
    if (V.isDeclaration())
      continue;
    if (V.hasAppendingLinkage()) {
      // A list for LLVM, of what this part does not define.
      if (!WithVariables)
        V.eraseFromParent();
      continue;
    }
    share(V);
    if (!WithVariables)
      declare(V);
  }
  if (Error Wrong = M.materializeAll())
    return Wrong;
  for (Function &F : make_early_inc_range(M))
    if (F.isDeclaration() && F.use_empty())
      F.eraseFromParent();
  for (GlobalVariable &V : make_early_inc_range(M.globals()))
    if (!WithVariables && V.use_empty())
      V.eraseFromParent();
  return Error::success();
}

StringSet<> names(const char *const *Names, size_t Count) {
  StringSet<> Set;
  for (size_t I = 0; I != Count; ++I)
    Set.insert(Names[I]);
  return Set;
}

} // namespace

/// The module, or null and the text of an error, which the caller frees.
extern "C" LLVMModuleRef
clef_llvm_read_part(LLVMContextRef Context, const char *Bitcode, size_t Size,
                    const char *const *Defined, size_t DefinedCount,
                    const char *const *Copied, size_t CopiedCount,
                    bool WithVariables, char **Message) {
  Expected<std::unique_ptr<Module>> M = getLazyBitcodeModule(
      MemoryBufferRef(StringRef(Bitcode, Size), "program"), *unwrap(Context));
  Error Wrong = M ? keepPart(**M, names(Defined, DefinedCount),
                             names(Copied, CopiedCount), WithVariables)
                  : M.takeError();
  if (Wrong) {
    *Message = LLVMCreateMessage(toString(std::move(Wrong)).c_str());
    return nullptr;
  }
  return wrap(M->release());
}
