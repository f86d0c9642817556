//! From objects to a static library and its header.

use crate::{Session, job::Job, options::Optimisation, products::Library};
use clef_base::{Diagnostic, Symbol, internal::bug};
use clef_header::{Facts, header};
use clef_image::library::{Parts, library};
use clef_psg::Psg;

/// Makes the library with this name.
pub(super) fn archive(
    session: &mut Session,
    objects: &[Vec<u8>],
    psg: &Psg,
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
        objects,
        inputs: &job.link,
        routines,
        exports: &exports,
        imports: &psg.imports,
        pool: board.region_pool.size.unwrap_or_default(),
        target,
    })?;
    let facts = Facts { name: name.as_str(), host: &made.host, pool: made.pool.0, target: &target.name };
    Ok(Library { archive: made.archive, header: header(psg, &session.sources, &facts) })
}
