//! Images: the programs of `image/` say by comments what their ELF files must be like.
//!
//! `// build: --board mps2-an386 -O z` are the arguments; `// flash: 1024` is the most bytes that may be loaded;
//! `// absent: text` is part of no symbol; `// local: text` is part of no symbol that other objects could see.

use crate::{compiler::clefc, directives, stem};
use goblin::elf::{Elf, program_header::PT_LOAD, sym::STB_GLOBAL};
use libtest_mimic::{Failed, Trial};
use std::path::{Path, PathBuf};

/// The trial of a program.
pub(crate) fn trial(path: PathBuf) -> Trial {
    Trial::test(format!("image::{}", stem(&path)), move || check(&path))
}

fn check(path: &Path) -> Result<(), Failed> {
    let source = std::fs::read_to_string(path)?;
    let file = format!("image/{}.clef", stem(path));
    let image = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{}.elf", stem(path)));
    let image = image.to_string_lossy();
    let build = directives(&source, "build").pop().unwrap_or_default();
    let arguments: Vec<&str> = build.split_whitespace().chain(["-o", &image, &file]).collect();
    let call = clefc(&arguments, b"")?;
    if call.status != Some(0) {
        return Err(format!("clefc {} ended with {:?}:\n{}", arguments.join(" "), call.status, call.errors).into());
    }
    let bytes = std::fs::read(&*image)?;
    let elf = Elf::parse(&bytes)?;
    for limit in directives(&source, "flash") {
        let limit: u64 = limit.parse()?;
        let loaded = elf.program_headers.iter().filter(|header| header.p_type == PT_LOAD);
        let flash: u64 = loaded.map(|header| header.p_filesz).sum();
        if flash > limit {
            return Err(format!("{flash} bytes of flash are more than {limit}").into());
        }
    }
    let symbols = || elf.syms.iter().filter_map(|symbol| Some((elf.strtab.get_at(symbol.st_name)?, symbol)));
    for absent in directives(&source, "absent") {
        if let Some((name, _)) = symbols().find(|(name, _)| name.contains(&absent)) {
            return Err(format!("there is a symbol `{name}`").into());
        }
    }
    for local in directives(&source, "local") {
        let seen = symbols().find(|(name, symbol)| name.contains(&local) && symbol.st_bind() == STB_GLOBAL);
        if let Some((name, _)) = seen {
            return Err(format!("the symbol `{name}` is global").into());
        }
    }
    Ok(())
}
