//! The processors and features that LLVM knows for a triple, and whether a processor has a feature.

use super::machine::initialise;
use std::{
    ffi::{CString, c_char, c_void},
    slice,
};

/// What LLVM knows for a triple.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Processors {
    triple: String,
    /// The names of processors, without aliases.
    pub processors: Vec<String>,
    /// The names of features, without signs.
    pub features: Vec<String>,
}

// SAFETY: `processors.cpp` defines them with these types.
unsafe extern "C" {
    fn clef_llvm_names(
        triple: *const c_char,
        state: *mut c_void,
        take: extern "C" fn(*mut c_void, u8, *const c_char, usize),
    ) -> bool;
    fn clef_llvm_has_processor(triple: *const c_char, cpu: *const c_char) -> bool;
    fn clef_llvm_has_features(
        triple: *const c_char,
        cpu: *const c_char,
        features: *const c_char,
        wanted: *const c_char,
    ) -> bool;
}

/// Puts a name into the [`Processors`] that `state` points to.
extern "C" fn take(state: *mut c_void, kind: u8, name: *const c_char, length: usize) {
    // SAFETY: `Processors::of` passes a pointer to its own value, which lives until the call returns, and LLVM's names
    // are static strings of that length.
    let (known, name) = unsafe { (&mut *state.cast::<Processors>(), slice::from_raw_parts(name.cast::<u8>(), length)) };
    let list = if kind == 0 { &mut known.processors } else { &mut known.features };
    list.push(String::from_utf8_lossy(name).into_owned());
}

impl Processors {
    /// What LLVM knows for a triple; nothing if it has no such target.
    pub fn of(triple: &str) -> Option<Processors> {
        initialise();
        let mut known = Processors { triple: triple.to_owned(), ..Processors::default() };
        let triple = CString::new(triple).ok()?;
        let state: *mut Processors = &raw mut known;
        // SAFETY: the strings are terminated by zero, and `take` receives the pointer that it expects.
        unsafe { clef_llvm_names(triple.as_ptr(), state.cast(), take) }.then_some(known)
    }

    /// Whether a processor with that name or alias exists.
    pub fn has(&self, cpu: &str) -> bool {
        let (Ok(triple), Ok(cpu)) = (CString::new(self.triple.as_str()), CString::new(cpu)) else { return false };
        // SAFETY: the strings are terminated by zero.
        unsafe { clef_llvm_has_processor(triple.as_ptr(), cpu.as_ptr()) }
    }

    /// Whether a known processor with known features (`+strict-align,-fpregs`) has all of `wanted`.
    pub fn has_features(&self, cpu: &str, features: &str, wanted: &str) -> bool {
        let text = |text: &str| CString::new(text).ok();
        let (Some(triple), Some(cpu), Some(features), Some(wanted)) =
            (text(&self.triple), text(cpu), text(features), text(wanted))
        else {
            return false;
        };
        // SAFETY: the strings are terminated by zero.
        unsafe { clef_llvm_has_features(triple.as_ptr(), cpu.as_ptr(), features.as_ptr(), wanted.as_ptr()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processors_and_features_are_llvms() {
        let arm = Processors::of("thumbv7em-none-eabi").expect("there is such a target");
        assert!(arm.has("cortex-m4") && arm.processors.iter().any(|name| name == "cortex-m4"));
        assert!(!arm.has("corex-m4") && !arm.has("help"));
        assert!(arm.features.iter().any(|name| name == "strict-align"));
        assert!(arm.has_features("cortex-m4", "", "+mclass") && !arm.has_features("cortex-a9", "", "+mclass"));
        assert!(arm.has_features("cortex-m4", "-fpregs", "-fpregs"));
        assert_eq!(Processors::of("z80-none-elf"), None);
    }
}
