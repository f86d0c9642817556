// Options of LLVM that no API sets.

#include "llvm/Support/CommandLine.h"

using namespace llvm;

/// Sets an option for the whole process; false if there is none of the name, or it rejects the value. The option is not
/// registered any more afterwards: LLD resets all that are.
extern "C" bool clef_set_option(const char *name, const char *value) {
  cl::Option *option = cl::getRegisteredOptions().lookup(name);
  if (!option)
    return false;
  bool failed = option->addOccurrence(1, name, value);
  option->removeArgument();
  return !failed;
}
