//! Makes the modules of the chips from the descriptions in `chips`.
//!
//! In: `chips/MANUFACTURER/NAME.svd` or `NAME.svd.gz`. Out, in `OUT_DIR`: `MANUFACTURER.modules`, the modules of the manufacturer's chips
//! in the order of their names, one after the other and compressed together (RFC 8878), since they have much in common; and
//! `modules.rs`, the table of all chips.

#![allow(clippy::disallowed_methods, reason = "a build script reads its inputs and writes its outputs")]

use std::{
    env,
    error::Error,
    fmt::Write as _,
    fs,
    io::{Read as _, Write as _},
    path::{Path, PathBuf},
};

/// What follows the name of a chip in the name of its file, and that of a compressed file.
const EXTENSION: &str = ".svd";
const COMPRESSED: &str = ".svd.gz";

/// The name of each module.
const MODULE: &str = "Device";

/// The level of compression: higher ones save nothing here.
const LEVEL: i32 = 19;

/// The number of bits of the distance within which repetitions are found: 16 MB, more than the modules of a manufacturer have.
const WINDOW_LOG: u32 = 24;

fn main() -> Result<(), Box<dyn Error>> {
    let chips = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("chips");
    println!("cargo::rerun-if-changed={}", chips.display());
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let mut table = String::from("const CHIPS: &[Chip] = &[\n");
    for manufacturer in names(&chips)? {
        let path = out.join(format!("{manufacturer}.modules"));
        let mut modules = String::new();
        for file in names(&chips.join(&manufacturer))? {
            let Some(name) = file.strip_suffix(COMPRESSED).or_else(|| file.strip_suffix(EXTENSION)) else { continue };
            let description = description(&chips.join(&manufacturer).join(&file))?;
            let registers = clef_svd::registers(&format!("{name}{EXTENSION}"), &description, MODULE);
            let start = modules.len();
            modules.push_str(&registers.map_err(|error| error.message)?.source);
            let (end, path) = (modules.len(), path.display().to_string());
            writeln!(table, "    Chip {{ name: {name:?}, modules: include_bytes!({path:?}), text: {start}..{end} }},")?;
        }
        fs::write(&path, compressed(&modules)?)?;
    }
    table.push_str("];\n");
    fs::write(out.join("modules.rs"), table)?;
    Ok(())
}

/// The names of what a directory has, in alphabetic order.
fn names(directory: &Path) -> Result<Vec<String>, Box<dyn Error>> {
    let name =
        |entry: fs::DirEntry| entry.file_name().into_string().map_err(|_| "a file has a name that is not Unicode");
    let mut names: Vec<String> =
        fs::read_dir(directory)?.map(|entry| Ok(name(entry?)?)).collect::<Result<_, Box<dyn Error>>>()?;
    names.sort();
    Ok(names)
}

/// The text of a description.
fn description(path: &Path) -> Result<String, Box<dyn Error>> {
    let bytes = fs::read(path)?;
    if path.extension().is_none_or(|extension| extension != "gz") {
        return Ok(String::from_utf8(bytes)?);
    }
    let mut text = String::new();
    flate2::read::GzDecoder::new(bytes.as_slice()).read_to_string(&mut text)?;
    Ok(text)
}

fn compressed(text: &str) -> Result<Vec<u8>, Box<dyn Error>> {
    let mut encoder = zstd::Encoder::new(Vec::new(), LEVEL)?;
    encoder.long_distance_matching(true)?;
    encoder.window_log(WINDOW_LOG)?;
    encoder.write_all(text.as_bytes())?;
    Ok(encoder.finish()?)
}
