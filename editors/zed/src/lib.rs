//! Starts `clefc lsp` in Zed.

use zed_extension_api::{self as zed, Command, LanguageServerId, Result, Worktree, register_extension};

struct Clef;

impl zed::Extension for Clef {
    fn new() -> Clef {
        Clef
    }

    fn language_server_command(&mut self, _server: &LanguageServerId, worktree: &Worktree) -> Result<Command> {
        let command = worktree.which("clefc").ok_or("clefc is not in PATH")?;
        Ok(Command { command, args: vec!["lsp".into()], env: worktree.shell_env() })
    }
}

register_extension!(Clef);
