// The dialects that modules consist of, and their translation to LLVM IR.
//
// MLIR's C API can register all dialects only at once, and with them the code generators of graphics processors.

#include "mlir/CAPI/IR.h"
#include "mlir/Dialect/IRDL/IR/IRDL.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"

/// Loads the dialects `llvm` and `irdl` into a context, and registers the translation of the former.
extern "C" void clefLoadDialects(MlirContext Context) {
  mlir::DialectRegistry Registry;
  mlir::registerBuiltinDialectTranslation(Registry);
  mlir::registerLLVMDialectTranslation(Registry);
  mlir::MLIRContext *Loading = unwrap(Context);
  Loading->appendDialectRegistry(Registry);
  Loading->loadDialect<mlir::LLVM::LLVMDialect, mlir::irdl::IRDLDialect>();
}
