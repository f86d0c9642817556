// LLVM's tables of a target's processors, which its C API does not expose.

#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/TargetParser/Triple.h"
#include <memory>
#include <string>

using namespace llvm;

static std::unique_ptr<MCSubtargetInfo> subtarget(const char *triple, const char *cpu, const char *features) {
  std::string error;
  Triple parsed(triple);
  const Target *target = TargetRegistry::lookupTarget(parsed, error);
  if (!target)
    return nullptr;
  return std::unique_ptr<MCSubtargetInfo>(target->createMCSubtargetInfo(parsed, cpu, features));
}

/// Passes each processor (kind 0) and feature (kind 1) of a triple's target to `take`; false if there is no such target.
extern "C" bool clef_llvm_names(const char *triple, void *state,
                                void (*take)(void *state, unsigned char kind, const char *name, size_t length)) {
  std::unique_ptr<MCSubtargetInfo> known = subtarget(triple, "", "");
  if (!known)
    return false;
  for (const SubtargetSubTypeKV &processor : known->getAllProcessorDescriptions()) {
    StringRef name(processor.Key);
    take(state, 0, name.data(), name.size());
  }
  for (const SubtargetFeatureKV &feature : known->getAllProcessorFeatures()) {
    StringRef name(feature.Key);
    take(state, 1, name.data(), name.size());
  }
  return true;
}

/// Whether a processor with that name or alias exists.
extern "C" bool clef_llvm_has_processor(const char *triple, const char *cpu) {
  std::unique_ptr<MCSubtargetInfo> known = subtarget(triple, "", "");
  return known && known->isCPUStringValid(cpu);
}

/// Whether a processor with these features has all of `wanted`; both lists are like `+mclass,-fpregs`.
extern "C" bool clef_llvm_has_features(const char *triple, const char *cpu, const char *features, const char *wanted) {
  std::unique_ptr<MCSubtargetInfo> known = subtarget(triple, cpu, features);
  return known && known->checkFeatures(wanted);
}
