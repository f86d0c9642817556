//! Neovim without a window, with the plugin of `editors/neovim`: what its user sees and does is recorded in `neovim/session.txt`.
//!
//! The session (`neovim/session.lua`) only uses what Neovim 0.7 has, the one of Debian 12.

use crate::{ROOT, compiler, tool};
use clef_golden::compare_with_file;
use clef_oracle::process;
use libtest_mimic::{Failed, Trial};
use std::{env, fs, os::unix::fs::symlink, path::Path, process::Command};

/// The editor.
const NEOVIM: &str = "nvim";

/// The program in the editor.
const TEXT: &str = "/// Twice a number.\nlet twice n = n * 2\nprintfn \"%d\" (List.sum [ twice 1; twce 2 ])\n";

pub(crate) fn trials() -> Vec<Trial> {
    let trial = Trial::test("neovim::session", session);
    vec![if tool::find(NEOVIM).is_none() { tool::ignored(trial, NEOVIM) } else { trial }]
}

fn session() -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let folder = fs::canonicalize(directory.path())?;
    fs::write(folder.join("main.clef"), TEXT)?;
    fs::create_dir(folder.join("bin"))?;
    symlink(fs::canonicalize(compiler::binary()?)?, folder.join("bin/clefc"))?;
    let path = env::var_os("PATH").unwrap_or_default();
    let programs = [folder.join("bin")].into_iter().chain(env::split_paths(&path));
    let record = folder.join("record.txt");
    let root = fs::canonicalize(ROOT)?;
    let plugin = fs::canonicalize(Path::new(ROOT).join("../editors/neovim"))?;
    let mut neovim = Command::new(NEOVIM);
    neovim
        .args(["--headless", "--clean", "-n"])
        .args(["--cmd".to_owned(), format!("set runtimepath^={}", plugin.display())])
        .args(["-c".to_owned(), format!("luafile {}", root.join("neovim/session.lua").display())])
        .arg("main.clef")
        .current_dir(&folder)
        .env("PATH", env::join_paths(programs)?)
        .env("HOME", &folder)
        .env_remove("XDG_CACHE_HOME")
        .env("RECORD", &record);
    let call = process::call(&mut neovim, b"", compiler::LONGEST)?;
    let recorded = fs::read_to_string(&record).unwrap_or_default();
    if call.status != Some(0) {
        return Err(format!("the status of Neovim is {:?}\n{}\n{recorded}", call.status, call.errors).into());
    }
    Ok(compare_with_file(&root.join("neovim/session.txt"), &recorded)?)
}
