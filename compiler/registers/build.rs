//! Makes the modules of the chips from the descriptions in `chips`.
//!
//! In: `chips/NAME.svd.gz`, the files of the manufacturers. Out, in `OUT_DIR`: `NAME.module`, the module of a chip, compressed
//! (RFC 1951), and `modules.rs`, the table of all chips in the order of their names.

#![allow(clippy::disallowed_methods, reason = "a build script reads its inputs and writes its outputs")]

use std::{
    env,
    error::Error,
    fmt::Write as _,
    fs::{self, File},
    io::Read as _,
    path::{Path, PathBuf},
};

/// What follows the name of a chip in the name of its file.
const EXTENSION: &str = ".svd.gz";

/// The name of each module.
const MODULE: &str = "Device";

/// The level of compression: the highest one.
const COMPRESSION: u8 = 10;

fn main() -> Result<(), Box<dyn Error>> {
    let chips = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("chips");
    println!("cargo::rerun-if-changed={}", chips.display());
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let mut names = Vec::new();
    for entry in fs::read_dir(&chips)? {
        let name = entry?.file_name().into_string().map_err(|_| "a file has a name that is not Unicode")?;
        names.extend(name.strip_suffix(EXTENSION).map(str::to_owned));
    }
    names.sort();
    let mut table = String::from("const CHIPS: &[(&str, &[u8])] = &[\n");
    for name in names {
        let mut description = String::new();
        let file = File::open(chips.join(format!("{name}{EXTENSION}")))?;
        flate2::read::GzDecoder::new(file).read_to_string(&mut description)?;
        let registers =
            clef_svd::registers(&format!("{name}.svd"), &description, MODULE).map_err(|error| error.message)?;
        let path = out.join(format!("{name}.module"));
        fs::write(&path, miniz_oxide::deflate::compress_to_vec(registers.source.as_bytes(), COMPRESSION))?;
        writeln!(table, "    ({name:?}, include_bytes!({:?})),", path.display().to_string())?;
    }
    table.push_str("];\n");
    fs::write(out.join("modules.rs"), table)?;
    Ok(())
}
