//! `clefc bind HEADER`: the declarations of a header of C as Clef.

use crate::{
    cli::Bind,
    commands::{Outcome, svd::module},
};
use clef_bind::{Omission, Request};
use clef_descriptors::{Boot, LinkerEmulation, Machine};
use clef_host::output::{self, Mode};
use clef_session::{Session, machine};

/// The module if the text goes to standard output.
const MODULE: &str = "Bindings";

/// Writes the module.
pub(crate) fn bind(session: &mut Session, options: &Bind) -> Outcome {
    let module = options.output.as_deref().map_or(Ok(MODULE.to_owned()), module)?;
    // Also a message for a file that cannot be read, and a record that no product may overwrite it.
    session.files.long_text(&options.header)?;
    let machine = machine::resolve(session, &options.machine.choice(), None)?;
    session.enter("bind");
    let mut arguments = of_machine(&machine);
    arguments.extend(options.arguments.iter().cloned());
    let request =
        Request { header: &options.header, module: &module, arguments: &arguments, allowed: &options.allowlist };
    let bindings = clef_bind::bind(&request)?;
    session.settle(bindings.omissions.iter().map(Omission::diagnostic).collect())?;
    match &options.output {
        Some(path) => session.files.write(path, bindings.source.as_bytes(), Mode::Plain)?,
        None => output::print(&bindings.source)?,
    }
    Ok(0)
}

/// The arguments of the C compiler for a machine.
fn of_machine(machine: &Machine) -> Vec<String> {
    let target = &machine.target.value;
    let processor = match target.linker {
        LinkerEmulation::ElfX86_64 => "-march",
        LinkerEmulation::Armelf | LinkerEmulation::Aarch64elf => "-mcpu",
    };
    let mut arguments =
        vec!["-xc".to_owned(), format!("--target={}", target.triple), format!("{processor}={}", target.cpu)];
    if machine.board.value.boot != Boot::Linux {
        arguments.push("-ffreestanding".to_owned());
    }
    arguments
}
