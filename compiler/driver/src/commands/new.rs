//! `clefc new`: makes a new project.

mod vscode;

use crate::{cli::New, commands::Outcome};
use clef_base::{Diagnostic, codes};
use clef_descriptors::{Board, Request, Run};
use clef_host::{output, user_files::reason};
use clef_session::Session;
use std::{
    fs::{self, Permissions},
    io,
    os::unix::fs::PermissionsExt,
    path::Path,
};

/// A file of a new project.
struct File {
    /// Its path from the project's directory.
    path: String,
    text: String,
    is_executable: bool,
}

impl File {
    fn text(path: &str, text: String) -> File {
        File { path: path.to_owned(), text, is_executable: false }
    }
}

/// Makes a directory with a project that can be run, completely or not at all.
pub(crate) fn new(session: &mut Session, new: &New) -> Outcome {
    session.enter("new");
    let name = name(&new.path)?;
    let board = match &new.board {
        Some(board) => Some(session.resolver().machine(Request::Board(board))?.board.value),
        None => None,
    };
    let board_key = new.board.as_deref().map(board_key).unwrap_or_default();
    let Start { module, file, library, main, tests } = start(board.as_ref());
    let project = format!("name = {name:?}\nsources = [\"{file}.clef\", \"main.clef\"]\n{board_key}");
    let products = format!("/{name}\n/{name}.bin\n/{name}.elf\n/{name}.hex\n/{name}.uf2\n");
    let mut files = vec![
        File::text("clef.toml", project),
        File::text(&format!("{file}.clef"), format!("module {module}\n\n{library}")),
        File::text("main.clef", main),
        File::text(&format!("tests/{file}_tests.clef"), format!("module {module}Tests\n\n{tests}")),
        File::text(".gitignore", products),
    ];
    files.extend(vscode::files(&name, board.as_ref()));
    // A board that no emulator supports may not be connected.
    let unemulated = board.filter(|board| board.run == Run::None);
    files.extend(unemulated.as_ref().map(|board| File::text("testplan.yaml", plan(file, &board.name))));
    write(&new.path, &files).map_err(|error| {
        let kind = error.kind();
        let taken = [io::ErrorKind::DirectoryNotEmpty, io::ErrorKind::AlreadyExists, io::ErrorKind::NotADirectory];
        let why = if taken.contains(&kind) {
            "it already exists".to_owned()
        } else if kind == io::ErrorKind::NotFound {
            "its parent directory does not exist".to_owned()
        } else {
            reason(&error)
        };
        let message = format!("cannot create the project `{}`: {why}", new.path.display());
        Diagnostic::general(codes::UNWRITABLE_FILE, message).help("choose another name or location")
    })?;
    let path = new.path.display();
    let tried = match &unemulated {
        Some(board) => {
            let by_file =
                format!("\n  clefc --format uf2 {path}  (a file for the drive of the board, without a probe)");
            format!(
                "clefc test --plan {path}/testplan.yaml  (on this machine)\n  clefc run {path}  (on the board, with a debug probe){}",
                if board.uf2.is_some() { by_file } else { String::new() }
            )
        }
        None => format!("clefc run {path}\n  clefc test {path}"),
    };
    let named: Vec<&str> = files.iter().map(|file| file.path.as_str()).filter(|path| !path.starts_with('.')).collect();
    output::print(&format!("created {path}: {}\n\n  {tried}\n  clefc size {path}\n", named.join(", ")))?;
    Ok(0)
}

/// A plan that runs tests on this machine if they do not need the board.
fn plan(file: &str, board: &str) -> String {
    format!(
        "# `clefc test` runs the tests on this machine; with `on: [host-linux, {board}]` also on a board with a \
         debug probe.\nsuites:\n  - paths: [{file}.clef, tests/{file}_tests.clef]\n    on: [host-linux]\n"
    )
}

/// The line that names the board. The path of a descriptor is made absolute, so that it does not depend on the
/// project's directory.
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
    let message = format!("`{}` is not a valid project name", path.display());
    Err(Diagnostic::general(codes::UNSUITABLE_OPTION, message)
        .help("specify the name of a new directory, of letters, digits, `_` and `-`"))
}

/// The source texts of a first program.
struct Start {
    /// The module under test, and its file name without extension.
    module: &'static str,
    file: &'static str,
    library: &'static str,
    main: String,
    tests: &'static str,
}

/// A first program: it blinks if the board has a light, and prints a greeting otherwise.
fn start(board: Option<&Board>) -> Start {
    let pins: Vec<&str> = board.iter().flat_map(|board| board.pins.keys()).map(String::as_str).collect();
    let is_column = |name: &&&str| name.starts_with("ledColumn");
    let Some(light) = pins.iter().find(|name| name.starts_with("led") && !is_column(name)) else {
        let main = GREETING_MAIN.to_owned();
        return Start { module: "Greeting", file: "greeting", library: GREETING, main, tests: GREETING_TESTS };
    };
    // A matrix is lit where a row is high and a column low, which is the initial state of an output.
    let column = pins.iter().find(is_column);
    let column = column.map(|column| format!("    Gpio.output Pin.{column}\n")).unwrap_or_default();
    let main = BLINKING_MAIN.replace("COLUMN", &column).replace("LIGHT", light);
    Start { module: "Rhythm", file: "rhythm", library: RHYTHM, main, tests: RHYTHM_TESTS }
}

const GREETING: &str = "\
/// The greeting for a name.
let greet name =
    if name = \"\" then \"Hello!\" else $\"Hello, {name}!\"
";

const GREETING_MAIN: &str = "\
for name in [ \"board\"; \"world\" ] do
    printfn \"%s\" (Greeting.greet name)
";

const GREETING_TESTS: &str = "\
[<Test>]
let ``greets by name`` () = Assert.equal \"Hello, world!\" (Greeting.greet \"world\")

[<Test>]
let ``greets without a name`` () = Assert.equal \"Hello!\" (Greeting.greet \"\")
";

const RHYTHM: &str = "\
/// The pause in milliseconds after a step; every third pause is long.
let pause step = if step % 3 = 0 then 400 else 150
";

const BLINKING_MAIN: &str = "\
/// Toggles the light and prints its state.
let blink times =
    Gpio.output Pin.LIGHT
COLUMN    for step in 1 .. times do
        Gpio.toggle Pin.LIGHT
        printfn \"step %d: %s\" step (if Gpio.read Pin.LIGHT then \"on\" else \"off\")
        Time.sleep (Rhythm.pause step)

blink 6
";

const RHYTHM_TESTS: &str = "\
[<Test>]
let ``every third pause is long`` () =
    Assert.equal [ 150; 150; 400; 150 ] (List.map Rhythm.pause [ 1; 2; 3; 4 ])
";

/// Makes a temporary directory in the same parent, and renames it when it is complete.
fn write(path: &Path, files: &[File]) -> io::Result<()> {
    if path.exists() && !(path.is_dir() && fs::read_dir(path)?.next().is_none()) {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let directory =
        tempfile::Builder::new().prefix(".clefc-new-").permissions(Permissions::from_mode(0o777)).tempdir_in(parent)?;
    for File { path, text, is_executable } in files {
        let file = directory.path().join(path);
        fs::create_dir_all(file.parent().unwrap_or(directory.path()))?;
        fs::write(&file, text)?;
        if *is_executable {
            // The creation mask of the user applies, as it does to the other files.
            let mode = fs::metadata(&file)?.permissions().mode();
            fs::set_permissions(&file, Permissions::from_mode(mode | (mode & 0o444) >> 2))?;
        }
    }
    // An existing empty directory is replaced.
    fs::rename(directory.path(), path)
}
