// Links what a program needs of the runtime.
//
// In: a program, the bitcode of the runtime, and the symbols that the linker, the processor or a debugger looks for. Out:
// the program with these symbols and with everything that it refers to, also through one another. The bodies of other
// functions are never read.

#include "llvm-c/Core.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/MemoryBufferRef.h"

using namespace llvm;

/// Declares a symbol of the runtime in the program, so that it is needed.
static void need(Module &Program, const GlobalValue &Symbol) {
  if (Program.getNamedValue(Symbol.getName()))
    return;
  if (auto *Type = dyn_cast<FunctionType>(Symbol.getValueType()))
    Function::Create(Type, GlobalValue::ExternalLinkage, Symbol.getName(),
                     Program);
  else
    new GlobalVariable(Program, Symbol.getValueType(), false,
                       GlobalValue::ExternalLinkage, nullptr, Symbol.getName());
}

/// Null, or the text of an error, which the caller frees. Errors of the linker itself are diagnostics of the context.
extern "C" char *clef_llvm_link_runtime(LLVMModuleRef Program,
                                        const char *Bitcode, size_t Size,
                                        const char *const *Roots,
                                        size_t Count) {
  Module &M = *unwrap(Program);
  Expected<std::unique_ptr<Module>> Runtime = getLazyBitcodeModule(
      MemoryBufferRef(StringRef(Bitcode, Size), "runtime"), M.getContext());
  if (!Runtime)
    return LLVMCreateMessage(toString(Runtime.takeError()).c_str());
  // It may have been compiled for a compatible triple.
  (*Runtime)->setTargetTriple(M.getTargetTriple());
  (*Runtime)->setDataLayout(M.getDataLayout());
  for (size_t I = 0; I != Count; ++I)
    if (const GlobalValue *Symbol = (*Runtime)->getNamedValue(Roots[I]))
      need(M, *Symbol);
  if (Linker::linkModules(M, std::move(*Runtime), Linker::LinkOnlyNeeded))
    return LLVMCreateMessage("the runtime cannot be linked to the program");
  return nullptr;
}
