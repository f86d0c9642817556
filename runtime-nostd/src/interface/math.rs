//! Functions on floats that only some targets have an instruction for. If the target has the instruction, generated
//! code does not call these.

/// Declares exported functions for both widths, which call the functions of `libm`.
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
    clef_math_atan2_64, clef_math_atan2_32(y, x) = atan2, atan2f;
    clef_math_sin_64, clef_math_sin_32(value) = sin, sinf;
    clef_math_cos_64, clef_math_cos_32(value) = cos, cosf;
    clef_math_tan_64, clef_math_tan_32(value) = tan, tanf;
    clef_math_asin_64, clef_math_asin_32(value) = asin, asinf;
    clef_math_acos_64, clef_math_acos_32(value) = acos, acosf;
    clef_math_atan_64, clef_math_atan_32(value) = atan, atanf;
    clef_math_sinh_64, clef_math_sinh_32(value) = sinh, sinhf;
    clef_math_cosh_64, clef_math_cosh_32(value) = cosh, coshf;
    clef_math_tanh_64, clef_math_tanh_32(value) = tanh, tanhf;
    clef_math_exp_64, clef_math_exp_32(value) = exp, expf;
    clef_math_log_64, clef_math_log_32(value) = log, logf;
    clef_math_log10_64, clef_math_log10_32(value) = log10, log10f;
    clef_math_log2_64, clef_math_log2_32(value) = log2, log2f;
}
