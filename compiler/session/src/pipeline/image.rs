//! From an object to the image and its properties: its bounds, and what its bytes are used for.

use super::{back_end::llvm_machine, front_end::own_files};
use crate::{Session, job::Job, options::Optimisation, report::Report};
use clef_base::{Diagnostic, FileId, HashSet, Span, internal::bug};
use clef_core::{FunctionId, Program, callees::Callees};
use clef_image::{
    bound::{self, Bounds, Calls, Origin, Origins, Question},
    link::{Image, Link, Sections, link},
    size::{self, Owners, Sizes},
};
use clef_mlir::llvm::Objects;
use clef_psg::{Priorities, Psg};

/// Links; an image that does not fit is reported with its memory table.
pub(super) fn linked(
    session: &mut Session,
    objects: &[Vec<u8>],
    psg: &Psg,
    sections: &Sections,
    job: &Job,
) -> Result<Image, Vec<Diagnostic>> {
    session.enter("link");
    let (target, board) = (&job.machine.target.value, &job.machine.board.value);
    let Some(runtime) = clef_runtime::find(&target.runtime) else {
        bug("link", None, format!("unknown runtime `{}`", target.runtime))
    };
    let smallest = job.optimisation == Optimisation::MinimalSize;
    let clef_runtime::Runtime { builtins, memory_routines, .. } = runtime;
    let inputs = job.link.as_slice();
    let (imports, exports) = (psg.imports.as_slice(), psg.exports.as_slice());
    link(&Link { objects, inputs, builtins, memory_routines, imports, exports, sections, target, board, smallest })
        .map_err(|failure| {
            if let Some(memory) = &failure.memory {
                session.report(Report::Memory(memory));
            }
            failure.diagnostics
        })
}

/// The upper bounds of an image's memory use, and the calls that the one of the stack follows from.
pub(super) fn bounds(
    session: &mut Session,
    image: &Image,
    objects: &Objects,
    program: &Program,
    psg: &Psg,
    job: &Job,
) -> Result<(Bounds, Calls), Vec<Diagnostic>> {
    session.enter("bound");
    let (target, board) = (&job.machine.target.value, &job.machine.board.value);
    let own = own_files(&job.files);
    let origins = origins(program, &own);
    // Linked code may set any.
    let priorities = if job.link.is_empty() { &psg.priorities } else { &Priorities::Unknown };
    let (image_bytes, sources) = (image.bytes.as_slice(), &session.sources);
    let question = Question { image: image_bytes, objects, origins: &origins, sources, target, board, priorities };
    let (stack, calls) = bound::stack(&question, &llvm_machine(target))?;
    let regions = bound::regions(program, target, (board, &image.bytes), &own, &session.sources);
    Ok((Bounds { stack, regions }, calls))
}

/// What the bytes of an image are used for.
pub(super) fn sizes(session: &Session, image: &Image, program: &Program, job: &Job) -> Result<Sizes, Diagnostic> {
    let (target, board) = (&job.machine.target.value, &job.machine.board.value);
    let symbols = clef_codegen::symbols(program);
    let functions = symbols.into_iter().map(|(id, symbol)| {
        let function = &program.functions[id];
        (symbol, function.span, function.name)
    });
    let values = clef_codegen::value_symbols(program);
    let values = values.into_iter().map(|(id, symbol)| (symbol, program.globals[id].span, program.globals[id].name));
    let file = |span: Span| session.sources.file(span.file).name.clone();
    let owners =
        Owners::new(functions.chain(values).map(|(symbol, span, name)| (symbol, file(span), name.to_string())));
    let pieces = clef_image::contents(&image.bytes, board)?;
    let closures = size::closures(program, target, &session.sources);
    Ok(Sizes::of(&image.memory, &pieces, &owners, closures))
}

/// The source of the functions of a program, and the closures that they call.
pub(super) fn origins(program: &Program, own: &HashSet<FileId>) -> Origins {
    let callees = Callees::of(program);
    let symbols = clef_codegen::symbols(program);
    let origin = |(&id, symbol): (&FunctionId, &String)| {
        let function = &program.functions[id];
        let reached = callees.of_function(program, id);
        let reaches = reached.iter().filter_map(|callee| symbols.get(callee).cloned()).collect();
        let is_library = !own.contains(&function.span.file);
        (symbol.clone(), Origin { name: function.name.to_string(), span: function.span, is_library, reaches })
    };
    Origins { of: symbols.iter().map(origin).collect() }
}
