// LLD's linker for ELF, called as a function.

#include "lld/Common/CommonLinkerContext.h"
#include "lld/Common/Driver.h"
#include "lld/Common/ErrorHandler.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/LTO/LTO.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

LLD_HAS_DRIVER(elf)

// LLD's compiler of bitcode, for link-time optimisation, would add LLVM's optimiser once more, with Polly. Nothing here
// asks for it: `clef_image` rejects files with bitcode before they are linked. So it is left out of the executable: its
// class is defined here, as LLD's own `LTO.h` declares it, and reports what it is given.
namespace lld::elf {
struct Ctx;
class BitcodeFile;
class InputFile {
public:
  virtual ~InputFile();
};

class BitcodeCompiler {
public:
  BitcodeCompiler(Ctx &);
  ~BitcodeCompiler();
  void add(BitcodeFile &);
  llvm::SmallVector<std::unique_ptr<InputFile>, 0> compile();
};

BitcodeCompiler::BitcodeCompiler(Ctx &) {}
BitcodeCompiler::~BitcodeCompiler() {}
void BitcodeCompiler::add(BitcodeFile &) {
  lld::error("a file with LLVM bitcode cannot be linked");
}
llvm::SmallVector<std::unique_ptr<InputFile>, 0> BitcodeCompiler::compile() {
  return {};
}
} // namespace lld::elf

// The same for what LLD's reader of bitcode needs of LLVM's link-time optimisation.
namespace llvm::lto {
InputFile::~InputFile() = default;
Expected<std::unique_ptr<InputFile>> InputFile::create(MemoryBufferRef) {
  return createStringError("a file with LLVM bitcode cannot be linked");
}
SmallVector<const char *> LTO::getRuntimeLibcallSymbols(const Triple &) {
  return {};
}
} // namespace llvm::lto

// LLD initialises all targets that LLVM was built with. Those that clefc does not generate code for are left out of the
// executable: their functions are defined here, as empty.
#define CLEF_EMPTY(Name)                                                       \
  extern "C" {                                                                 \
  void LLVMInitialize##Name##TargetInfo() {}                                   \
  void LLVMInitialize##Name##Target() {}                                       \
  void LLVMInitialize##Name##TargetMC() {}                                     \
  void LLVMInitialize##Name##AsmPrinter() {}                                   \
  void LLVMInitialize##Name##AsmParser() {}                                    \
  void LLVMInitialize##Name##Disassembler() {}                                 \
  }
#define CLEF_NOTHING(Name)
// `CLEF_CHOOSE` selects its second argument, which for these targets is `CLEF_NOTHING`.
#define CLEF_KEPT_AArch64 ~, CLEF_NOTHING
#define CLEF_KEPT_ARM ~, CLEF_NOTHING
#define CLEF_KEPT_X86 ~, CLEF_NOTHING
#define CLEF_SECOND(First, Second, ...) Second
#define CLEF_CHOOSE(...) CLEF_SECOND(__VA_ARGS__)
#define LLVM_TARGET(Name) CLEF_CHOOSE(CLEF_KEPT_##Name, CLEF_EMPTY, ~)(Name)
#include "llvm/Config/Targets.def"

// Its header includes a file that the packages lack.
namespace lld {
std::string getLLDVersion();
}

namespace {

char *copyOf(const std::string &Text) {
  char *Copy = static_cast<char *>(std::malloc(Text.size() + 1));
  std::memcpy(Copy, Text.c_str(), Text.size() + 1);
  return Copy;
}

} // namespace

/// Links. `*Messages` is what LLD wrote to standard error, which the caller frees by `clefFreeMessages`. Returns 0 if it
/// linked, 1 if it rejected the arguments or the files, and 2 if it crashed.
extern "C" int clefLink(const char *const *Arguments, size_t Count,
                        char **Messages) {
  std::string Output, Errors;
  llvm::raw_string_ostream OutputStream(Output), ErrorStream(Errors);
  llvm::SmallVector<const char *, 32> All(Arguments, Arguments + Count);
  const lld::DriverDef Driver = {lld::Gnu, &lld::elf::link};
  llvm::CrashRecoveryContext::Enable();
  lld::Result Result =
      lld::lldMain(All, OutputStream, ErrorStream, {Driver});
  // After a fatal error and after a crash LLD leaves its state behind.
  if (!Result.canRunAgain) {
    llvm::CrashRecoveryContext Recovery;
    Recovery.RunSafely([] { lld::CommonLinkerContext::destroy(); });
  }
  llvm::CrashRecoveryContext::Disable();
  *Messages = copyOf(Errors);
  // A shell's status for a process that a signal ended.
  return Result.retCode >= 128 || Result.retCode < 0 ? 2
         : Result.retCode != 0                       ? 1
                                                     : 0;
}

extern "C" void clefFreeMessages(char *Messages) { std::free(Messages); }

/// The version of LLD; the caller frees it by `clefFreeMessages`.
extern "C" char *clefLinkerVersion() { return copyOf(lld::getLLDVersion()); }
