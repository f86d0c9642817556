//! Checks that the processor of a target can run the code that is compiled for it.

use clef_base::{Diagnostic, codes, nearest};
use clef_descriptors::{Core, Described, FloatAbi, LinkerEmulation, Target};
use clef_mlir::llvm::Processors;

/// Checks that LLVM knows the processor and the features, and that the processor fits the triple.
pub(crate) fn check_processor(target: &Described<Target>) -> Result<(), Diagnostic> {
    let Target { triple, cpu, features, .. } = &target.value;
    let invalid = |place, message| Diagnostic::error(codes::INVALID_DESCRIPTOR_VALUE, place, message);
    let Some(known) = Processors::of(triple.as_str()) else {
        return Err(invalid(target.place("triple"), format!("LLVM has no code generator for `{triple}`")));
    };
    let place = target.place("cpu");
    if !known.has(cpu) {
        let diagnostic = invalid(place, format!("unknown processor `{cpu}` for `{triple}`"));
        return Err(match nearest(cpu, known.processors.iter().map(String::as_str)) {
            Some(near) => diagnostic.fix(format!("write `{near}`"), place, near),
            None => diagnostic,
        });
    }
    for (index, feature) in features.iter().enumerate() {
        let (sign, name) = feature.split_at(feature.len().min(1));
        if !known.features.iter().any(|feature| feature == name) {
            // Quoted, as a leading sign requires.
            let place = target.place_of_item("features", index);
            let diagnostic = invalid(place, format!("unknown processor feature `{name}` for `{triple}`"));
            return Err(match nearest(name, known.features.iter().map(String::as_str)) {
                Some(near) => diagnostic.fix(format!("write `{sign}{near}`"), place, format!("\"{sign}{near}\"")),
                None => diagnostic,
            });
        }
    }
    let (wanted, kind) = match target.value.linker {
        LinkerEmulation::Armelf => ("+mclass", "a Cortex-M"),
        LinkerEmulation::ElfX86_64 => ("+64bit,+sse2", "an x86-64 processor with SSE2"),
        LinkerEmulation::Aarch64elf => ("+fp-armv8", "an AArch64 processor with floating point"),
    };
    if !known.has_features(cpu, &target.value.feature_string(), wanted) {
        let message = format!("`{cpu}` with these features is not {kind}");
        return Err(invalid(place, message).note(format!("required by the target's triple `{triple}` and its runtime")));
    }
    check_core(target, &known)
}

/// LLVM's features for the instruction set of a core and for its supersets.
fn instruction_sets(core: Core) -> &'static [&'static str] {
    match core {
        Core::Armv6M => &["+armv6-m"],
        Core::Armv7M => &["+armv7-m"],
        Core::Armv7EM => &["+armv7e-m"],
        Core::Armv8MBaseline => &["+armv8-m.base"],
        Core::Armv8MMainline => &["+armv8-m.main", "+armv8.1-m.main"],
    }
}

/// Checks that a Cortex-M has the instruction set that the runtime is compiled for. It must have an FPU if floats are
/// passed in FPU registers; otherwise the runtime does not enable it.
fn check_core(target: &Described<Target>, known: &Processors) -> Result<(), Diagnostic> {
    let Target { triple, cpu, float_abi, .. } = &target.value;
    let Some(core) = triple.core() else { return Ok(()) };
    let features = target.value.feature_string();
    let is_hard = *float_abi == FloatAbi::Hard;
    let has_set = |cpu: &str| instruction_sets(core).iter().any(|feature| known.has_features(cpu, "", feature));
    let has_float = |cpu: &str| known.has_features(cpu, &features, if is_hard { "+vfp2sp" } else { "-fpregs" });
    if has_set(cpu) && has_float(cpu) {
        return Ok(());
    }
    let invalid = |key, message: String| Diagnostic::error(codes::INVALID_DESCRIPTOR_VALUE, target.place(key), message);
    if !is_hard && has_set(cpu) {
        let message = format!("`{cpu}` with these features uses the FPU, which is off if `float_abi` is `soft`");
        return Err(invalid("features", message)
            .help("add `\"-fpregs\"` to `features`, or inherit from a target whose `float_abi` is `hard`"));
    }
    let with_fpu = if is_hard { " with an FPU" } else { "" };
    let fit = known.processors.iter().filter(|other| has_set(other) && (!is_hard || has_float(other)));
    let fit: Vec<String> = fit.map(|other| format!("`{other}`")).collect();
    if fit.is_empty() {
        let message = format!("`hard` requires an FPU, which no processor of {} has with these features", core.name());
        return Err(invalid("float_abi", message).help("write `float_abi: soft`"));
    }
    let message = format!("`{cpu}` is not a processor of {}{with_fpu}", core.name());
    Err(invalid("cpu", message)
        .note(format!("required by the target's triple `{triple}` and its runtime"))
        .help(format!("use one of {}, or inherit from another target", fit.join(", "))))
}
