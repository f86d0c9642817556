//! Selects the tests of an image that run.

/// The numbers of the first and the last test to run. Test runners overwrite them in the image, at this symbol, so the
/// read is volatile.
#[unsafe(no_mangle)]
#[allow(non_upper_case_globals, reason = "the symbol is called as those of generated code are")]
static clef_tests: [u32; 2] = [0, u32::MAX];

/// Whether the test of this number is to run.
#[unsafe(no_mangle)]
extern "C" fn clef_test_wanted(index: isize) -> bool {
    // SAFETY: it is a constant of that type.
    let [first, last] = unsafe { (&raw const clef_tests).read_volatile() };
    (first..=last).contains(&(index as u32))
}
