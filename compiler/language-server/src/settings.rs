//! What an editor can set, as options of the initialisation.

use clef_session::machine::MachineChoice;
use serde::Deserialize;

/// The settings; those that are absent have their defaults.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Settings {
    /// The board of files without a project; by default this machine.
    board: Option<String>,
    /// Whether hints show types.
    pub(crate) type_hints: bool,
    /// Whether hints show the names of parameters.
    pub(crate) parameter_hints: bool,
    /// Whether hints show where allocations live.
    pub(crate) storage_hints: bool,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { board: None, type_hints: true, parameter_hints: true, storage_hints: true }
    }
}

impl Settings {
    /// The settings in the options of a client.
    pub(crate) fn of(options: Option<serde_json::Value>) -> Settings {
        options.and_then(|options| serde_json::from_value(options).ok()).unwrap_or_default()
    }

    /// The machine of files without a project.
    pub(crate) fn machine(&self) -> MachineChoice {
        MachineChoice { target: None, board: self.board.clone().filter(|board| !board.is_empty()) }
    }
}
