//! The lines of the runtime that images execute.
//!
//! This program is called instead of QEMU, by links with QEMU's names that are first on the search path. It makes QEMU
//! log the instructions that it translates, which are those that it executes, and finds the corresponding lines of
//! `runtime-nostd` in the image's line table. In: an image whose runtime has a line table. Out: a file of lines for
//! each run, which [`report`] merges.

use super::tool;
use crate::{Failure, toolchain::root};
use std::{
    collections::{BTreeMap, BTreeSet},
    env, fs, io,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::{Command, ExitCode},
};

/// The emulators of the oracle's boards.
const EMULATORS: [&str; 2] = ["qemu-system-arm", "qemu-system-aarch64"];
/// The variable with the directory of the files of lines.
const LINES: &str = "CLEF_COVERAGE_LINES";
/// The directory of the runtime.
const RUNTIME: &str = "runtime-nostd";
/// Its source directory, relative to that.
const SOURCES: &str = "src/";

/// The lines of each file, and whether an instruction of them was executed.
type Lines = BTreeMap<String, BTreeMap<u32, bool>>;

/// Makes the links, and makes a command's children run this program instead of emulators.
pub(super) fn watch(command: &mut Command, directory: &Path) -> Result<(), Failure> {
    let (links, lines) = (directory.join("emulators"), directory.join("lines"));
    let prepared = || -> io::Result<()> {
        for directory in [&links, &lines] {
            let _ = fs::remove_dir_all(directory);
            fs::create_dir_all(directory)?;
        }
        let itself = env::current_exe()?;
        EMULATORS.iter().try_for_each(|emulator| symlink(&itself, links.join(emulator)))
    };
    prepared().map_err(|error| format!("cannot prepare {}: {error}", directory.display()))?;
    let rest = env::var_os("PATH").unwrap_or_default();
    let path = env::join_paths(std::iter::once(links).chain(env::split_paths(&rest)));
    command.env("PATH", path.map_err(|error| error.to_string())?).env(LINES, lines);
    Ok(())
}

/// Calls the emulator that this program stands in for, if it does.
pub(crate) fn emulate() -> Option<ExitCode> {
    let called = PathBuf::from(env::args_os().next()?);
    let emulator = EMULATORS.into_iter().find(|emulator| called.file_name() == Some((*emulator).as_ref()))?;
    let code = lines_of_run(emulator).unwrap_or_else(|failure| {
        eprintln!("{emulator} with coverage: {failure}");
        1
    });
    Some(ExitCode::from(code))
}

/// Runs the emulator and records the lines; returns its status.
fn lines_of_run(emulator: &str) -> Result<u8, Failure> {
    let failed = |error: io::Error| error.to_string();
    let lines = PathBuf::from(env::var_os(LINES).ok_or("no space for lines")?);
    let arguments: Vec<String> = env::args().skip(1).collect();
    let log = lines.join(format!("{}.log", std::process::id()));
    let path = env::var_os("PATH").unwrap_or_default();
    let own = lines.with_file_name("emulators");
    let program =
        env::split_paths(&path).filter(|directory| *directory != own).map(|directory| directory.join(emulator));
    let program = program.into_iter().find(|program| program.is_file()).ok_or("it is not installed")?;
    let mut command = Command::new(program);
    command.args(&arguments).args(["-d", "in_asm", "-D"]).arg(&log);
    let status = command.status().map_err(failed)?;
    let kernel = arguments.iter().position(|argument| argument == "-kernel");
    let image = kernel.and_then(|place| arguments.get(place + 1)).ok_or("it runs no image")?;
    let executed = executed(&fs::read_to_string(&log).map_err(failed)?);
    let found = lines_of_image(Path::new(image), &executed)?;
    let mut text = String::new();
    for (file, lines) in &found {
        text.extend(lines.iter().map(|(line, reached)| format!("{file} {line} {reached}\n")));
    }
    fs::write(log.with_extension("lines"), text).map_err(failed)?;
    fs::remove_file(&log).map_err(failed)?;
    Ok(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1))
}

/// The addresses in the emulator's log: `0x00000104:  b580  push …`.
fn executed(log: &str) -> BTreeSet<u64> {
    let address = |line: &str| u64::from_str_radix(line.strip_prefix("0x")?.split_once(':')?.0, 16).ok();
    log.lines().filter_map(address).collect()
}

/// The runtime's lines in an image.
fn lines_of_image(image: &Path, executed: &BTreeSet<u64>) -> Result<Lines, Failure> {
    let mut dump = tool("llvm-dwarfdump")?;
    let dumped = dump.arg("--debug-line").arg(image).output().map_err(|error| error.to_string())?;
    Ok(lines_of_table(&String::from_utf8_lossy(&dumped.stdout), executed))
}

/// The runtime's lines in the line tables as `llvm-dwarfdump` prints them.
fn lines_of_table(text: &str, executed: &BTreeSet<u64>) -> Lines {
    let mut lines = Lines::new();
    let mut table = Table::default();
    let mut open: Option<Row> = None;
    for line in text.lines() {
        if line.starts_with("debug_line[") {
            table = Table::default();
        } else if let Some(row) = Row::read(line) {
            if let Some(before) = open.take()
                && before.line != 0
                && let Some(file) = table.runtime_file(before.file)
            {
                let reached = executed.range(before.address..row.address).next().is_some();
                *lines.entry(file).or_default().entry(before.line).or_default() |= reached;
            }
            open = (!line.ends_with("end_sequence")).then_some(row);
        } else {
            table.read(line);
        }
    }
    lines
}

/// A row of a line table: the start of the code of a line, which ends at the next row.
struct Row {
    address: u64,
    line: u32,
    file: usize,
}

impl Row {
    /// `0x0000000000000104     30     13      1   0 …`: address, line, column and file.
    fn read(text: &str) -> Option<Row> {
        let mut words = text.strip_prefix("0x")?.split_whitespace();
        let address = u64::from_str_radix(words.next()?, 16).ok()?;
        let line = words.next()?.parse().ok()?;
        let file = words.nth(1)?.parse().ok()?;
        Some(Row { address, line, file })
    }
}

/// The files of a line table.
#[derive(Default)]
struct Table {
    directories: BTreeMap<usize, String>,
    /// The name and the directory of each.
    files: BTreeMap<usize, (String, usize)>,
    last: usize,
}

impl Table {
    /// Reads a line before the rows: `include_directories[  1] = "src"`, `file_names[  1]:`, `name: "lib.rs"`,
    /// `dir_index: 1`.
    fn read(&mut self, line: &str) {
        let quoted = |text: &str| text.trim().trim_matches('"').to_owned();
        let number = |text: &str| text.split(']').next().and_then(|digits| digits.trim().parse::<usize>().ok());
        if let Some(rest) = line.strip_prefix("include_directories[") {
            if let (Some(number), Some((_, name))) = (number(rest), rest.split_once('=')) {
                self.directories.insert(number, quoted(name));
            }
        } else if let Some(number) = line.strip_prefix("file_names[").and_then(number) {
            self.last = number;
        } else if let Some(name) = line.trim().strip_prefix("name: ") {
            self.files.entry(self.last).or_default().0 = quoted(name);
        } else if let Some(directory) = line.trim().strip_prefix("dir_index: ") {
            self.files.entry(self.last).or_default().1 = directory.parse().unwrap_or_default();
        }
    }

    /// The path of a file within the runtime, if it exists. Only the runtime has a line table, and its files are
    /// relative to its directory; those of Rust's library are not.
    fn runtime_file(&self, number: usize) -> Option<String> {
        let (name, directory) = self.files.get(&number)?;
        let path = match self.directories.get(directory) {
            Some(directory) => format!("{directory}/{name}"),
            None => name.clone(),
        };
        path.strip_prefix(SOURCES).map(str::to_owned)
    }
}

/// Prints how many lines of each file of the runtime were executed in some run, and which were not.
pub(super) fn report(directory: &Path) -> Result<(), Failure> {
    let all = together(&directory.join("lines")).map_err(|error| format!("cannot read the lines: {error}"))?;
    if all.is_empty() {
        return Err("no image ran in an emulator".to_owned());
    }
    println!("{RUNTIME:<28} {:>6} {:>8} {:>8}  not executed", "lines", "executed", "");
    let (mut lines, mut reached) = (0, 0);
    for (file, found) in &all {
        let executed = found.values().filter(|reached| **reached).count();
        let missed: Vec<u32> = found.iter().filter(|(_, reached)| !**reached).map(|(line, _)| *line).collect();
        println!(
            "{file:<28} {:>6} {executed:>8} {:>7.1}%  {}",
            found.len(),
            percent(executed, found.len()),
            ranges(&missed)
        );
        lines += found.len();
        reached += executed;
    }
    println!("{:<28} {lines:>6} {reached:>8} {:>7.1}%", "all", percent(reached, lines));
    Ok(())
}

/// The lines of all runs, with the paths of existing files.
fn together(directory: &Path) -> io::Result<Lines> {
    let mut all = Lines::new();
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path.extension() != Some("lines".as_ref()) {
            continue;
        }
        for line in fs::read_to_string(path)?.lines() {
            let words: Vec<&str> = line.split(' ').collect();
            let [file, number, reached] = words.as_slice() else { continue };
            let Ok(number) = number.parse() else { continue };
            *all.entry((*file).to_owned()).or_default().entry(number).or_default() |= *reached == "true";
        }
    }
    all.retain(|file, _| root().join(RUNTIME).join(SOURCES).join(file).is_file());
    Ok(all)
}

fn percent(part: usize, all: usize) -> f64 {
    100.0 * part as f64 / all.max(1) as f64
}

/// `3, 5-7`
fn ranges(numbers: &[u32]) -> String {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for &number in numbers {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => ranges.push((number, number)),
        }
    }
    let one = |(first, last): &(u32, u32)| if first == last { first.to_string() } else { format!("{first}-{last}") };
    ranges.iter().map(one).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "\
debug_line[0x00000000]
Line table prologue:
include_directories[  1] = \"src/region\"
include_directories[  2] = \"/rustc/5980\"
file_names[  1]:
           name: \"evacuate.rs\"
      dir_index: 1
file_names[  2]:
           name: \"library/core/src/ptr/mod.rs\"
      dir_index: 2

Address            Line   Column File   ISA Discriminator OpIndex Flags
------------------ ------ ------ ------ --- ------------- ------- -------------
0x0000000000000100     30     13      1   0             0       0  is_stmt
0x0000000000000104     31     13      1   0             0       0  is_stmt
0x0000000000000108     30      9      1   0             0       0  is_stmt
0x000000000000010a    217      9      2   0             0       0
0x000000000000010c      0      9      0   0             0       0  is_stmt end_sequence
";

    #[test]
    fn lines_are_reached_by_executed_addresses() {
        let executed = executed("IN: f\n0x00000108:  b580       push     {r7, lr}\n");
        let lines = lines_of_table(TABLE, &executed);
        let wanted = BTreeMap::from([(30, true), (31, false)]);
        assert_eq!(lines, Lines::from([("region/evacuate.rs".to_owned(), wanted)]));
    }

    #[test]
    fn neighbours_are_one_range() {
        assert_eq!(ranges(&[3, 5, 6, 7]), "3, 5-7");
    }
}
