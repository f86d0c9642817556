//! The registers of a chip as Clef, from its description in CMSIS-SVD.
//!
//! In: the text of an SVD file (CMSIS-SVD 1.3, which `svd-parser` reads). Out: the source of a Clef module with a module for
//! each peripheral, in which each register is a value, and a module with its fields. Holds: the source has no errors, and its
//! names are those of the description, in lower case for values.

mod chip;
mod derived;
mod names;
mod resolve;
mod source;

use clef_base::{Diagnostic, codes};

/// The Clef source of the module `module` for the chip that the text of the file `file` describes.
///
/// # Errors
/// The text is not an SVD description, or it derives parts from others that it does not have.
pub fn registers(file: &str, text: &str, module: &str) -> Result<String, Diagnostic> {
    let malformed = |reason: String| {
        let message = format!("`{file}` is not a description of a chip in CMSIS-SVD: {reason}");
        Diagnostic::general(codes::MALFORMED_SVD, message)
            .help("vendors publish these files with their software packs; the extension is .svd")
    };
    // Some files spell these two in lower case.
    let text = text.replace("read-writeonce", "read-writeOnce").replace(">writeonce<", ">writeOnce<");
    let device = svd_parser::parse(&text).map_err(|error| malformed(format!("{error:#}")))?;
    let chip = resolve::chip(&device).map_err(|error| malformed(error.to_string()))?;
    Ok(source::write(&chip, file, module))
}
