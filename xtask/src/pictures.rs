//! `cargo xtask pictures`: takes the pictures of `docs/editors.md` and `docs/documentation.md`: a project in VS Code, with the
//! extension, and pages of the site, in Chromium without a window.
//!
//! VS Code comes as a package of npm, code-server, whose own installation would also fetch programs from elsewhere. So its
//! packages are installed without their scripts, and then those that VS Code cannot start without are built, with the headers
//! of the installed Node.js.

use crate::{
    Failure, docs,
    setup::{Consent, agreed},
    step::{Step, output, run_all, shown},
    toolchain::root,
    vsix,
};
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// The copy in which packages are installed.
const STAGE: &str = "target/pictures";

/// Names of Chromium's program.
const BROWSERS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// The folder of code-server's editor, which has packages of its own.
const EDITOR: &str = "node_modules/code-server/lib/vscode";

/// The packages that are built.
const BUILT: [&str; 3] = ["node-pty", "@vscode/spdlog", "native-watchdog"];

/// Packs the extension, builds clefc and takes the pictures.
pub(crate) fn run(consent: Consent) -> Result<(), Failure> {
    let browser = browser().ok_or("Chromium is missing: sudo apt install chromium")?;
    let headers = headers()?;
    let stage = root().join(STAGE);
    let npm = |within: &str, arguments: &[&str]| {
        let mut command = Command::new("npm");
        command.args(arguments).args(["--no-audit", "--no-fund"]).current_dir(stage.join(within));
        // Scripts of packages fetch node-gyp by npx, which would ask.
        command.env("npm_config_nodedir", &headers).env("npm_config_yes", "true");
        command
    };
    let fetch = |within: &str| npm(within, &["install", "--omit=dev", "--ignore-scripts", "--legacy-peer-deps"]);
    eprintln!("to fetch VS Code for browsers and what controls Chromium, by the command:\n    {}", shown(&fetch("")));
    if !agreed(consent)? {
        return Err("nothing was fetched".to_owned());
    }
    vsix::run(consent)?;
    let source = root().join("editors/vscode/pictures");
    vsix::copy(&source, &stage).map_err(|error| format!("cannot copy to {}: {error}", stage.display()))?;
    let mut build = Command::new(env!("CARGO"));
    build.args(["build", "--release", "--package", "clefc"]).current_dir(root());
    let (pictures, site) = (root().join("docs/pictures"), stage.join("site"));
    let mut editor = Command::new("node");
    editor.arg("editor.js").arg(root().join(vsix::PACKAGE)).arg(compiler()).arg(&browser).arg(&pictures);
    let mut pages = Command::new("node");
    pages.arg("site.js").arg(&site).arg(&browser).arg(&pictures);
    run_all(vec![
        Step { name: "build clefc", command: build },
        Step { name: "fetch the server and the driver", command: fetch("") },
        Step { name: "fetch the editor", command: fetch(EDITOR) },
        Step { name: "fetch its extensions", command: fetch(&format!("{EDITOR}/extensions")) },
        Step { name: "build parts of the editor", command: npm(EDITOR, &[&["rebuild"], &BUILT[..]].concat()) },
        Step { name: "build a part of the server", command: npm("", &["rebuild", "argon2", "--build-from-source"]) },
        Step { name: "take the pictures of the editor", command: in_stage(editor, &stage) },
        docs::site(&site),
        Step { name: "take the pictures of the site", command: in_stage(pages, &stage) },
    ])
}

fn in_stage(mut command: Command, stage: &Path) -> Command {
    command.current_dir(stage);
    command
}

/// The path of Chromium's program.
fn browser() -> Option<PathBuf> {
    let places: Vec<PathBuf> = std::env::split_paths(&std::env::var_os("PATH")?).collect();
    let named = |name: &str| places.iter().map(|place| place.join(name)).find(|path| path.is_file());
    BROWSERS.into_iter().find_map(named)
}

/// The program that Cargo builds.
fn compiler() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
    target.join("release/clefc")
}

/// The directory with Node.js and its headers.
fn headers() -> Result<PathBuf, Failure> {
    let missing = "Node.js 20 is missing, whose version VS Code for browsers requires: https://nodejs.org";
    let major = answer("node", &["-p", "process.versions.node.split('.')[0]"]).ok_or(missing)?;
    if major != "20" {
        return Err(format!("{missing}; this is version {major}"));
    }
    let program = answer("node", &["-p", "process.execPath"]).ok_or(missing)?;
    let directory = Path::new(&program).parent().and_then(Path::parent).ok_or(missing)?;
    match fs::exists(directory.join("include/node/node.h")) {
        Ok(true) => Ok(directory.to_owned()),
        Ok(false) | Err(_) => Err(format!("Node.js has no headers in {}/include/node", directory.display())),
    }
}

/// What a command prints, if it succeeds.
fn answer(program: &str, arguments: &[&str]) -> Option<String> {
    let mut command = Command::new(program);
    command.args(arguments);
    output(command).map(|text| text.trim().to_owned())
}
