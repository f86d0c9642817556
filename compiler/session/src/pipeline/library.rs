//! From objects to a static library and its header.

use super::{back_end::llvm_machine, front_end::own_files, image::origins};
use crate::{Session, job::Job, options::Optimisation, products::Library};
use clef_base::{Diagnostic, Symbol, internal::bug};
use clef_core::Program;
use clef_header::{Facts, Stack, header};
use clef_image::{
    bound::library::{Need, Question, needs},
    library::{Parts, library},
};
use clef_mlir::llvm::Objects;
use clef_psg::Psg;
use clef_types::host_symbol;

/// Makes the library with this name.
pub(super) fn archive(
    session: &mut Session,
    objects: &Objects,
    (psg, program): (&Psg, &Program),
    job: &Job,
    name: Symbol,
) -> Result<Library, Diagnostic> {
    session.enter("archive");
    let (target, board) = (&job.machine.target.value, &job.machine.board.value);
    let Some(runtime) = clef_runtime::find(&target.runtime) else {
        bug("library", None, format!("unknown runtime `{}`", target.runtime))
    };
    let smallest = job.optimisation == Optimisation::MinimalSize;
    let routines: &[&[u8]] = if smallest { &[runtime.memory_routines, runtime.builtins] } else { &[runtime.builtins] };
    let start = job.library_start();
    let exports: Vec<&str> = psg.exports.iter().map(|export| export.symbol.as_str()).chain(start.as_deref()).collect();
    let made = library(&Parts {
        objects: &objects.files,
        inputs: &job.link,
        routines,
        exports: &exports,
        imports: &psg.imports,
        pool: board.region_pool.size.unwrap_or_default(),
        target,
    })?;
    let origins = origins(program, &own_files(&job.files));
    let question = Question {
        object: &made.object,
        objects,
        origins: &origins,
        exports: &exports,
        replaceable: &host_symbol::WEAK,
        target,
        board,
    };
    let stack = needs(&question, &llvm_machine(target))?.into_iter().map(|(symbol, need)| (symbol, stack(need)));
    let stack = stack.collect();
    let facts = Facts { stack: &stack, name: name.as_str(), host: &made.host, pool: made.pool.0, target: &target.name };
    Ok(Library { archive: made.archive, header: header(psg, &session.sources, &facts) })
}

fn stack(need: Need) -> Stack {
    match need {
        Need::Bytes { bytes, calls_others } => Stack::Bytes { bytes, calls_others },
        Need::Unbounded(reason) => Stack::Unbounded(reason),
    }
}
