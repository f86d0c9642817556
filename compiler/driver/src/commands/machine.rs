//! Which target and board a command line means.

use crate::{cli::MachineChoice, session::Session};
use clef_base::{Diagnostic, codes};
use clef_target::{Machine, Request};

/// The board for programs of the machine that clefc itself runs on, if there is one.
const HOST_BOARD: Option<&str> =
    if cfg!(all(target_arch = "x86_64", target_os = "linux")) { Some("host-linux") } else { None };

/// The machine that was asked for, or else this one.
pub(crate) fn resolve(session: &mut Session, choice: &MachineChoice) -> Result<Machine, Vec<Diagnostic>> {
    let request = match (&choice.target, &choice.board, HOST_BOARD) {
        (Some(target), _, _) => Request::Target(target),
        (None, Some(board), _) => Request::Board(board),
        (None, None, Some(host)) => Request::Board(host),
        (None, None, None) => {
            let message = "clefc cannot make programs for the machine it runs on";
            let help = "say for which it is to be made, by `--target` or `--board`";
            return Err(vec![Diagnostic::general(codes::UNFIT_OPTION, message).help(help)]);
        }
    };
    session.phase = "resolve descriptors";
    session.resolver().machine(request)
}
