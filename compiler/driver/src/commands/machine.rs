//! Which target and board a command line means.

use crate::{cli::MachineChoice, pipeline::llvm_machine, program::ProjectMachine, session::Session};
use clef_base::{Diagnostic, codes};
use clef_target::{Described, Machine, Request, Target, nearest};
use std::path::PathBuf;

/// The board for programs of the machine that clefc itself runs on, if there is one.
const HOST_BOARD: Option<&str> =
    if cfg!(all(target_arch = "x86_64", target_os = "linux")) { Some("host-linux") } else { None };

/// The machine that was asked for, or that the project names, or else this one. Holds afterwards: LLVM can generate code
/// for the target as it is described, and there is a runtime for it.
pub(crate) fn resolve(
    session: &mut Session,
    choice: &MachineChoice,
    project: Option<&ProjectMachine>,
) -> Result<Machine, Vec<Diagnostic>> {
    session.phase = "resolve descriptors";
    let machine = match (&choice.target, &choice.board, project, HOST_BOARD) {
        (Some(target), _, _, _) => session.resolver().machine(Request::Target(target))?,
        (None, Some(board), _, _) => session.resolver().machine(Request::Board(board))?,
        (None, None, Some(project), _) => of_project(session, project)?,
        (None, None, None, Some(host)) => session.resolver().machine(Request::Board(host))?,
        (None, None, None, None) => {
            let message = "clefc cannot make programs for the machine it runs on";
            let help = "say for which it is to be made, by `--target` or `--board`";
            return Err(vec![Diagnostic::general(codes::UNFIT_OPTION, message).help(help)]);
        }
    };
    check_target(&machine.target)?;
    Ok(machine)
}

/// The machine that a project names.
fn of_project(session: &mut Session, project: &ProjectMachine) -> Result<Machine, Vec<Diagnostic>> {
    let (request, place) = match project {
        ProjectMachine::Board(board, _) => (Request::Board(&board.value), board.span),
        ProjectMachine::Target(target) => (Request::Target(&target.value), target.span),
    };
    let path = PathBuf::from(&session.sources.file(place.file).name);
    let mut resolver = session.resolver();
    resolver.know(&path, place.file);
    let machine = resolver.machine_named(request, Some(place))?;
    if let ProjectMachine::Board(board, Some(target)) = project {
        let named = resolver.target_named(&target.value, Some(target.span))?;
        let own = &machine.target.value.name;
        if named.value.name != *own {
            let message = format!("the board `{}` is of the target `{own}`", machine.board.value.name);
            return Err(Diagnostic::error(codes::UNFIT_BOARD, target.span, message)
                .also(board.span, "the board")
                .help("leave `target` out: a board says what its target is")
                .into());
        }
    }
    Ok(machine)
}

/// Whether programs can be made for a target.
pub(crate) fn check_target(target: &Described<Target>) -> Result<(), Diagnostic> {
    check_runtime(target)?;
    check_code_generator(target)
}

/// The runtime is compiled for a fixed set of processors.
fn check_runtime(target: &Described<Target>) -> Result<(), Diagnostic> {
    let name = target.value.runtime.as_str();
    if clef_runtime::find(name).is_some() {
        return Ok(());
    }
    let place = target.place("runtime");
    let diagnostic = Diagnostic::error(codes::INVALID_DESCRIPTOR_VALUE, place, format!("there is no runtime `{name}`"));
    Err(match nearest(name, clef_runtime::names()) {
        Some(known) => diagnostic.fix(format!("write `{known}`"), place, known),
        None => diagnostic.note(format!("there are {}", clef_runtime::names().collect::<Vec<_>>().join(", "))),
    })
}

/// LLVM must know the processor, and lay data out as the descriptor says.
fn check_code_generator(target: &Described<Target>) -> Result<(), Diagnostic> {
    let invalid = |key, message| Diagnostic::error(codes::INVALID_DESCRIPTOR_VALUE, target.place(key), message);
    let layout = llvm_machine(&target.value).data_layout().map_err(|fault| {
        let message = format!("no code can be generated for `{}`", target.value.triple);
        invalid("triple", message).note(fault.to_string())
    })?;
    if layout.text == target.value.data_layout {
        return Ok(());
    }
    let message = format!("LLVM has another data layout for `{}`", target.value.triple);
    Err(invalid("data_layout", message).note(format!("it is `{}`", layout.text)))
}
