//! `clefc new`: a project to begin with.

use crate::{cli::New, commands::Outcome, output, session::Session, source_files::reason};
use clef_base::{Diagnostic, codes};
use clef_target::{Board, Request};
use std::{
    fs::{self, Permissions},
    io,
    os::unix::fs::PermissionsExt,
    path::Path,
};

/// Makes a directory with a project that can be run, whole or not at all.
pub(crate) fn new(session: &mut Session, new: &New) -> Outcome {
    session.phase = "new";
    let name = name(&new.path)?;
    let board = match &new.board {
        Some(board) => Some(session.resolver().machine(Request::Board(board))?.board.value),
        None => None,
    };
    let board_key = new.board.as_deref().map(board_key).unwrap_or_default();
    let project = format!("name = {name:?}\nsources = [\"main.clef\"]\n{board_key}");
    let products = format!("/{name}\n/{name}.bin\n/{name}.elf\n/{name}.hex\n/{name}.uf2\n");
    let files = [("clef.toml", project), ("main.clef", program(board.as_ref())), (".gitignore", products)];
    write(&new.path, &files).map_err(|error| {
        let kind = error.kind();
        let taken = [io::ErrorKind::DirectoryNotEmpty, io::ErrorKind::AlreadyExists, io::ErrorKind::NotADirectory];
        let why = if taken.contains(&kind) {
            "something of this name is there".to_owned()
        } else if kind == io::ErrorKind::NotFound {
            "there is no directory that it could lie in".to_owned()
        } else {
            reason(&error)
        };
        let message = format!("cannot make the project `{}`: {why}", new.path.display());
        Diagnostic::general(codes::UNWRITABLE_FILE, message).help("choose another name or place")
    })?;
    let path = new.path.display();
    output::print(&format!("made {path}: clef.toml, main.clef\n\n  clefc run {path}\n  clefc size {path}\n"))?;
    Ok(0)
}

/// The line that names the board. A descriptor is found from wherever the project lies.
fn board_key(board: &str) -> String {
    let path = Path::new(board);
    let path = if path.is_file() { fs::canonicalize(path).ok() } else { None };
    format!("board = {:?}\n", path.map_or_else(|| board.to_owned(), |path| path.display().to_string()))
}

/// The project's name: that of its directory.
fn name(path: &Path) -> Result<String, Diagnostic> {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let is_good = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '-';
    if !name.is_empty() && name.chars().all(is_good) {
        return Ok(name.to_owned());
    }
    let message = format!("`{}` is no name of a project", path.display());
    Err(Diagnostic::general(codes::UNFIT_OPTION, message)
        .help("name a directory that is to be made, of letters, digits, `_` and `-`"))
}

/// A first program: it blinks where the board has a light, and greets elsewhere.
fn program(board: Option<&Board>) -> String {
    let pins: Vec<&str> = board.iter().flat_map(|board| board.pins.keys()).map(String::as_str).collect();
    let is_column = |name: &&&str| name.starts_with("ledColumn");
    let Some(light) = pins.iter().find(|name| name.starts_with("led") && !is_column(name)) else {
        return GREETING.to_owned();
    };
    // A matrix shines where a row is high and a column low, as an output is at first.
    let column = pins.iter().find(is_column);
    let column = column.map(|column| format!("    Gpio.output Pin.{column}\n")).unwrap_or_default();
    BLINKING.replace("COLUMN", &column).replace("LIGHT", light)
}

const GREETING: &str = "\
/// Greets one after the other.
let rec greet names =
    match names with
    | [] -> ()
    | name :: rest ->
        printfn \"Hello, %s!\" name
        greet rest

greet [ \"board\"; \"world\" ]
";

const BLINKING: &str = "\
/// Turns the light on and off so many times, and says so.
let blink times =
    Gpio.output Pin.LIGHT
COLUMN    for turn in 1 .. times do
        Gpio.toggle Pin.LIGHT
        printfn \"turn %d: %s\" turn (if Gpio.read Pin.LIGHT then \"on\" else \"off\")
        Time.sleep 200

blink 6
";

/// Makes the directory beside its place, and puts it there when it is complete.
fn write(path: &Path, files: &[(&str, String)]) -> io::Result<()> {
    if path.exists() && !(path.is_dir() && fs::read_dir(path)?.next().is_none()) {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let directory =
        tempfile::Builder::new().prefix(".clefc-new-").permissions(Permissions::from_mode(0o777)).tempdir_in(parent)?;
    for (name, text) in files {
        fs::write(directory.path().join(name), text)?;
    }
    // An empty directory of that name is replaced.
    fs::rename(directory.path(), path)
}
