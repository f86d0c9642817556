//! The modules of a program, by which a debugger finds module-level values: `Values.total`.
//!
//! In: module-level values with the modules that they are in. Out: a variable for each module. Its type has no bytes,
//! and a static member for each value and for each module within it. So debuggers that know C know what the dot means.
//!
//! The unit is one of D, in which members of a type are named with dots too: lists of variables have the names of the
//! source.

use inkwell::module::Module as LlvmModule;
use std::collections::BTreeMap;

use super::{
    DebugGlobal, DebugInfo,
    builder::{Bound, Builder, Metadata},
    define,
    types::Types,
};

/// A module.
#[derive(Default)]
struct Module<'a> {
    values: BTreeMap<&'a str, &'a DebugGlobal>,
    modules: BTreeMap<&'a str, Module<'a>>,
}

impl<'a> Module<'a> {
    /// The module that all are in.
    fn around(globals: &'a [DebugGlobal]) -> Module<'a> {
        let mut all = Module::default();
        for global in globals {
            let module = global.modules.iter().fold(&mut all, |module, name| module.modules.entry(name).or_default());
            // A later value shadows an earlier one.
            module.values.insert(&global.name, global);
        }
        all
    }

    /// The first value in it, also in a module within it.
    fn first(&self) -> Option<&'a DebugGlobal> {
        let here = self.values.values().next().copied();
        here.or_else(|| self.modules.values().find_map(Module::first))
    }
}

/// Describes the modules that have values.
pub(super) fn describe(program: &LlvmModule<'_>, builder: &Builder, types: &Types, info: &DebugInfo) {
    let all = Module::around(&info.globals);
    let mut describing = Describing { program, builder, types, info, within: BTreeMap::new() };
    for (name, module) in &all.modules {
        let ty = describing.structure(name, module);
        describing.variable(name, module, ty, Metadata::none());
    }
    // Code names a module that is in its own one without that.
    for (name, found) in std::mem::take(&mut describing.within) {
        if let ([(module, ty)], false) = (found.as_slice(), all.modules.contains_key(name)) {
            describing.variable(name, module, *ty, Metadata::none());
        }
    }
}

struct Describing<'d, 'a, 'c> {
    program: &'d LlvmModule<'c>,
    builder: &'d Builder,
    types: &'d Types,
    info: &'a DebugInfo,
    /// The modules that are in others, by their own names, with their types.
    within: BTreeMap<&'a str, Vec<(&'d Module<'a>, Metadata)>>,
}

impl<'d, 'a> Describing<'d, 'a, '_> {
    /// The type of a module, by its path.
    fn structure(&mut self, path: &str, module: &'d Module<'a>) -> Metadata {
        let declaration = self.builder.declaration(path);
        let mut members = Vec::new();
        for (name, inner) in &module.modules {
            let ty = self.structure(&format!("{path}.{name}"), inner);
            self.within.entry(name).or_default().push((inner, ty));
            let member = self.builder.static_member(declaration, self.bound(name, inner, ty));
            self.variable(name, inner, ty, member);
            members.push(member);
        }
        for (name, global) in &module.values {
            let file = self.builder.file(&global.file, &self.info.directory);
            let bound = Bound { name, file, line: global.line, ty: self.types.of(global.ty) };
            let member = self.builder.static_member(declaration, bound);
            if define(self.program, self.builder, &global.held, bound, member) {
                members.push(member);
            }
        }
        let structure = self.builder.structure(path, 0, &members);
        self.builder.replace(declaration, structure);
        structure
    }

    /// The variable of a module, which may be a member of that of another one.
    fn variable(&self, name: &str, module: &Module<'_>, ty: Metadata, declaration: Metadata) {
        // A value of no bytes.
        self.builder.global(self.bound(name, module, ty), false, self.builder.constant(0), declaration);
    }

    fn bound<'b>(&self, name: &'b str, module: &Module<'_>, ty: Metadata) -> Bound<'b> {
        let (file, line) = module.first().map_or(("", 0), |global| (global.file.as_str(), global.line));
        Bound { name, file: self.builder.file(file, &self.info.directory), line, ty }
    }
}
