//! Resolves the target and the board of a command line.

use crate::{
    Session,
    pipeline::llvm_machine,
    processor::check_processor,
    program::{NamedMachine, ProjectMachine},
};
use clef_base::{Diagnostic, codes, nearest};
use clef_descriptors::{Board, Bytes, Described, Machine, Request, Target};
use std::path::PathBuf;

/// The board for programs of the machine that clefc itself runs on, if there is one.
const HOST_BOARD: Option<&str> =
    if cfg!(all(target_arch = "x86_64", target_os = "linux")) { Some("host-linux") } else { None };

/// The requested target or board, by name or by the path of a descriptor; at most one of them.
#[derive(Clone, Debug, Default)]
pub struct MachineChoice {
    /// The target.
    pub target: Option<String>,
    /// The board.
    pub board: Option<String>,
}

/// The requested machine, or the one that the project names, or else this one. Holds afterwards: LLVM can generate code
/// for the target as described, and there is a runtime for it.
pub fn resolve(
    session: &mut Session,
    choice: &MachineChoice,
    project: Option<&ProjectMachine>,
) -> Result<Machine, Vec<Diagnostic>> {
    session.enter("resolve descriptors");
    let named = project.and_then(|project| project.named.as_ref());
    let mut machine = match (&choice.target, &choice.board, named, HOST_BOARD) {
        (Some(target), _, _, _) => session.resolver().machine(Request::Target(target))?,
        (None, Some(board), _, _) => session.resolver().machine(Request::Board(board))?,
        (None, None, Some(named), _) => of_project(session, named)?,
        (None, None, None, Some(host)) => session.resolver().machine(Request::Board(host))?,
        (None, None, None, None) => {
            let message = "this machine is not a supported target";
            let help = "specify `--target` or `--board`";
            return Err(vec![Diagnostic::general(codes::UNSUITABLE_OPTION, message).help(help)]);
        }
    };
    check_target(&machine.target)?;
    // Memory sizes in a project are meant for its own machine.
    if let (None, None, Some(project)) = (&choice.target, &choice.board, project) {
        resize(&mut machine.board.value, project)?;
    }
    Ok(machine)
}

/// Applies the stack and pool sizes of a project to a board.
fn resize(board: &mut Board, project: &ProjectMachine) -> Result<(), Diagnostic> {
    const STACK_ALIGNMENT: u64 = 16;
    let invalid = |place, message| Diagnostic::error(codes::INVALID_PROJECT_VALUE, place, message);
    if let Some(stack) = &project.stack {
        if !stack.value.0.is_multiple_of(STACK_ALIGNMENT) {
            let message = format!("the stack must be a multiple of {STACK_ALIGNMENT} bytes, not {}", stack.value.0);
            return Err(invalid(stack.span, message));
        }
        board.stack = stack.value;
    }
    if let Some(pool) = &project.pool {
        let page = board.region_pool.page;
        if !pool.value.0.is_multiple_of(page.0) {
            let message =
                format!("the pool size of {} bytes is not a multiple of the page size of {page} bytes", pool.value.0);
            return Err(invalid(pool.span, message));
        }
        board.region_pool.size = Some(pool.value);
    }
    let limit = board.ram().map_or(MAX_PROCESS_MEMORY, |ram| ram.length);
    let pool = board.region_pool.size.unwrap_or(board.region_pool.page);
    // The larger of the project's sizes.
    let larger = project.stack.iter().chain(&project.pool).max_by_key(|placed| placed.value);
    if let Some(larger) = larger
        && board.stack.0.checked_add(pool.0).is_none_or(|needed| needed > limit.0)
    {
        let message = format!("the stack and the region pool do not fit in the {limit} bytes of `{}`", board.name);
        return Err(invalid(larger.span, message)
            .note(format!("the stack has {}, the pool {pool}", board.stack))
            .help("reduce one of them; global variables need space too"));
    }
    Ok(())
}

/// The memory that code of a process can address.
const MAX_PROCESS_MEMORY: Bytes = Bytes(1 << 30);

/// The machine that a project names.
fn of_project(session: &mut Session, project: &NamedMachine) -> Result<Machine, Vec<Diagnostic>> {
    let (request, place) = match project {
        NamedMachine::Board(board, _) => (Request::Board(&board.value), board.span),
        NamedMachine::Target(target) => (Request::Target(&target.value), target.span),
    };
    let path = PathBuf::from(&session.sources.file(place.file).name);
    let mut resolver = session.resolver();
    resolver.know(&path, place.file);
    let machine = resolver.machine_named(request, Some(place))?;
    if let NamedMachine::Board(board, Some(target)) = project {
        let named = resolver.target_named(&target.value, Some(target.span))?;
        let own = &machine.target.value.name;
        if named.value.name != *own {
            let message = format!("the board `{}` has the target `{own}`", machine.board.value.name);
            return Err(Diagnostic::error(codes::UNSUITABLE_BOARD, target.span, message)
                .also(board.span, "the board")
                .help("remove `target`: the board determines it")
                .into());
        }
    }
    Ok(machine)
}

/// Checks that programs can be compiled for a target.
pub fn check_target(target: &Described<Target>) -> Result<(), Diagnostic> {
    check_runtime(target)?;
    check_processor(target)?;
    check_code_generator(target)
}

/// Checks that the target is one of the processors that the runtime is compiled for.
fn check_runtime(target: &Described<Target>) -> Result<(), Diagnostic> {
    let name = target.value.runtime.as_str();
    if clef_runtime::names().any(|known| known == name) {
        return Ok(());
    }
    let place = target.place("runtime");
    let diagnostic = Diagnostic::error(codes::INVALID_DESCRIPTOR_VALUE, place, format!("unknown runtime `{name}`"));
    Err(match nearest(name, clef_runtime::names()) {
        Some(known) => diagnostic.fix(format!("write `{known}`"), place, known),
        None => diagnostic.note(format!("the runtimes are {}", clef_runtime::names().collect::<Vec<_>>().join(", "))),
    })
}

/// Checks that LLVM's data layout agrees with the descriptor.
fn check_code_generator(target: &Described<Target>) -> Result<(), Diagnostic> {
    let invalid = |key, message| Diagnostic::error(codes::INVALID_DESCRIPTOR_VALUE, target.place(key), message);
    let layout = llvm_machine(&target.value).data_layout().map_err(|fault| {
        let message = format!("cannot generate code for `{}`", target.value.triple);
        invalid("triple", message).note(fault.to_string())
    })?;
    if layout.text == target.value.data_layout {
        return Ok(());
    }
    let message = format!("the data layout of `{}` differs from LLVM's", target.value.triple);
    Err(invalid("data_layout", message).note(format!("LLVM uses `{}`", layout.text)))
}
