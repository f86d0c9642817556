//! The registers of a chip as Clef, from its description in CMSIS-SVD.
//!
//! In: the text of an SVD file (CMSIS-SVD 1.3, which `svd-parser` reads). Out: the source of a Clef module with a module for
//! each peripheral, in which each register is a value, and a module with its fields; and the registers that were left out.
//! Holds: the source has no errors, its names are those of the description, in lower case for values, and a register that is left
//! out is named by a comment in the source.

mod chip;
mod derived;
mod names;
mod omissions;
mod resolve;
mod source;

use clef_base::{Diagnostic, codes};
pub use omissions::Omission;
use svd_parser::{Config, ValidateLevel};

/// A module, and what is not in it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Registers {
    /// The source of the module.
    pub source: String,
    /// What was left out.
    pub omissions: Vec<Omission>,
}

/// The Clef source of the module `module` for the chip that the text of the file `file` describes.
///
/// # Errors
/// The text is not an SVD description, or it derives parts from others that it does not have.
pub fn registers(file: &str, text: &str, module: &str) -> Result<Registers, Diagnostic> {
    let malformed = |reason: String| {
        let message = format!("`{file}` is not a description of a chip in CMSIS-SVD: {reason}");
        Diagnostic::general(codes::MALFORMED_SVD, message)
            .help("vendors publish these files with their software packs; the extension is .svd")
    };
    if is_too_deep(text) {
        return Err(malformed(format!("its elements are nested more than {DEEPEST} times")));
    }
    // Some files spell these two in lower case.
    let text = text.replace("read-writeonce", "read-writeOnce").replace(">writeonce<", ">writeOnce<");
    // Some files have values that a field or a register is too small for, which are left out.
    let config = Config::default().validate_level(ValidateLevel::Disabled);
    let device = svd_parser::parse_with_config(&text, &config).map_err(|error| malformed(format!("{error:#}")))?;
    let chip = resolve::chip(&device).map_err(|error| malformed(error.to_string()))?;
    Ok(Registers { source: source::write(&chip, file, module), omissions: omissions::of_chip(&chip) })
}

/// The deepest nesting of elements; descriptions have about twenty levels, and the XML parser recurses.
const DEEPEST: usize = 200;

/// Whether elements are nested too deep.
fn is_too_deep(text: &str) -> bool {
    let (mut depth, mut rest) = (0_usize, text);
    while let Some(start) = rest.find('<') {
        rest = &rest[start..];
        let end = if rest.starts_with("<!--") { "-->" } else { ">" };
        let Some(length) = rest.find(end) else { return false };
        let tag = &rest[..length];
        if tag.starts_with("</") {
            depth = depth.saturating_sub(1);
        } else if !tag.starts_with("<!") && !tag.starts_with("<?") && !tag.ends_with('/') {
            depth += 1;
        }
        if depth > DEEPEST {
            return true;
        }
        rest = &rest[length + end.len()..];
    }
    false
}
