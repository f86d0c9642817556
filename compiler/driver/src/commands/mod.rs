//! The commands, one file each.

mod add;
mod attach;
mod bind;
mod built;
mod check;
mod clean;
mod compile;
mod completions;
mod decode;
mod doc;
mod doctor;
mod erase;
mod eval;
mod explain;
mod flash;
mod fmt;
mod gdb;
mod interactive;
mod job;
mod list;
mod lsp;
mod man;
pub(crate) mod new;
mod probes;
mod product_paths;
mod repl;
mod reset;
mod run;
mod show;
mod size;
mod stack;
mod svd;
mod test;
mod watch;

use crate::{
    cli::{BoardCommand, Build, Command, CommandLine, ShowAction, TargetCommand},
    terminal::Terminal,
};
use clap::CommandFactory;
use clef_base::{Diagnostic, codes};
use clef_host::say;
use clef_session::{Session, project};
pub(crate) use completions::answer_shell;

/// The exit status of a command that succeeded, or why it failed.
pub(crate) type Outcome = Result<u8, Vec<Diagnostic>>;

/// Runs the command.
pub(crate) fn dispatch(session: &mut Session, terminal: Terminal, line: &CommandLine) -> Outcome {
    refuse_options_before_command(line)?;
    match &line.command {
        None if line.build == Build::default() && !project::is_here() => help(),
        None => compile::compile(session, terminal, &line.build),
        Some(Command::Build(build)) => compile::compile(session, terminal, build),
        Some(Command::Check(check)) => check::check(session, check),
        Some(Command::Run(run)) => run::run(session, terminal, run),
        Some(Command::Eval(options)) => eval::eval(session, options),
        Some(Command::Repl(options)) => repl::repl(session, terminal, options),
        Some(Command::Watch(options)) => watch::watch(terminal, options),
        Some(Command::Add(options)) => add::add(session, options),
        Some(Command::Clean(options)) => clean::clean(session, options),
        Some(Command::Gdb(options)) => gdb::gdb(session, terminal, options),
        Some(Command::Test(options)) => test::test(session, terminal, options),
        Some(Command::New(options)) => new::new(session, options),
        Some(Command::Flash(options)) => flash::flash(session, terminal, options),
        Some(Command::Attach(options)) => attach::attach(session, terminal, options),
        Some(Command::Decode(options)) => decode::decode(session, terminal, options),
        Some(Command::Reset(options)) => reset::reset(session, terminal, options),
        Some(Command::Erase(options)) => erase::erase(session, terminal, options),
        Some(Command::Probes(options)) => probes::probes(options),
        Some(Command::Size(options)) => size::size(session, options),
        Some(Command::Stack(options)) => stack::stack(session, terminal, options),
        Some(Command::Targets(list)) => list::targets(session, list),
        Some(Command::Boards(list)) => list::boards(session, list),
        Some(Command::Target(TargetCommand { action: ShowAction::Show(show) })) => show::target(session, show),
        Some(Command::Board(BoardCommand { action: ShowAction::Show(show) })) => show::board(session, show),
        Some(Command::Doctor(options)) => doctor::doctor(session, options),
        Some(Command::Bind(options)) => bind::bind(session, options),
        Some(Command::Fmt(options)) => fmt::fmt(session, options),
        Some(Command::Lsp(_)) => lsp::lsp(),
        Some(Command::Svd(options)) => svd::svd(session, options),
        Some(Command::Explain(explain)) => explain::explain(explain),
        Some(Command::Doc(options)) => doc::doc(session, options),
        Some(Command::Completions(completions)) => completions::completions(completions),
        Some(Command::Man(options)) => man::man(options),
    }
}

/// Rejects options of compilation before a command, which would have no effect.
fn refuse_options_before_command(line: &CommandLine) -> Result<(), Vec<Diagnostic>> {
    if line.command.is_none() || line.build == Build::default() {
        return Ok(());
    }
    let message = "files and options before a command have no effect";
    let diagnostic = Diagnostic::general(codes::UNSUITABLE_OPTION, message);
    Err(vec![diagnostic.help("move them after the command: `clefc run --board microbit a.clef`")])
}

/// Prints the usage if there is nothing to do.
fn help() -> Outcome {
    say(&CommandLine::command().render_help().to_string());
    Ok(crate::USER_ERROR)
}

/// The names of all commands.
pub(crate) fn names() -> Vec<String> {
    CommandLine::command().get_subcommands().map(|command| command.get_name().to_owned()).collect()
}
