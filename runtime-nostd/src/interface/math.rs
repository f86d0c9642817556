//! Functions of floats that are an instruction on some targets only. Where the target has the instruction, generated code
//! does not come here.

/// Declares exported functions for both widths, over the functions of `libm`.
macro_rules! functions {
    ($($double:ident, $single:ident ($($argument:ident),*) = $of_double:ident, $of_single:ident;)*) => {
        $(
            #[unsafe(no_mangle)]
            extern "C" fn $double($($argument: f64),*) -> f64 {
                libm::$of_double($($argument),*)
            }

            #[unsafe(no_mangle)]
            extern "C" fn $single($($argument: f32),*) -> f32 {
                libm::$of_single($($argument),*)
            }
        )*
    };
}

functions! {
    clef_math_sqrt64, clef_math_sqrt32(value) = sqrt, sqrtf;
    clef_math_floor64, clef_math_floor32(value) = floor, floorf;
    clef_math_ceil64, clef_math_ceil32(value) = ceil, ceilf;
    clef_math_trunc64, clef_math_trunc32(value) = trunc, truncf;
    clef_math_round64, clef_math_round32(value) = roundeven, roundevenf;
    clef_math_remainder64, clef_math_remainder32(dividend, divisor) = fmod, fmodf;
    clef_math_power64, clef_math_power32(base, exponent) = pow, powf;
}
