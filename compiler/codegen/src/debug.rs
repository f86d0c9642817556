//! What a debugger shows of a program: the types and names of variables, and where their values are.
//!
//! In: Core with the names of the source. Out: notes in the MLIR of functions, and the [`DebugInfo`] that they refer to.
//! Locals whose names contain `$` were added by the compiler and are not shown.

use crate::{debug_types::Described, module::Shared};
use clef_base::{HashMap, Span, Symbol};
use clef_core::{Convention, Function, FunctionId, LocalId};
use clef_mlir::{
    Build, Scope, Unit,
    llvm::{DebugFunction, DebugGlobal, DebugInfo, DebugVariable},
};
use clef_types::{Type, TypeKind};
use std::cell::RefCell;

/// How a program is made for a debugger.
#[derive(Clone, Debug)]
pub struct Debugging {
    /// The directory to which the names of source files are relative.
    pub directory: String,
    /// What compiles it, with its version.
    pub producer: String,
    /// Whether each variable keeps its value in memory to the end of its scope, also where the code needs it no longer.
    pub keeps_variables: bool,
    /// The types of variables that Core does not have, by their binding occurrences.
    pub types: HashMap<Span, SourceType>,
}

/// The type of a variable in the source, whose values are integers or floats in Core.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum SourceType {
    /// A number with a unit of measure, as the source writes it: `int<m/s>`.
    Quantity(String),
    /// An enum: its name, and those of its values.
    Enum(String, Vec<(String, i64)>),
}

/// The debug information of a program while it is collected.
pub(crate) struct Debug<'m> {
    unit: Unit<'m>,
    keeps_variables: bool,
    info: RefCell<DebugInfo>,
    described: RefCell<Described>,
    types: HashMap<Span, SourceType>,
    /// The scopes of functions whose calls were replaced, by their names.
    inlined: RefCell<HashMap<Symbol, Scope<'m>>>,
}

impl<'m> Debug<'m> {
    /// Nothing collected yet.
    pub(crate) fn new(build: &Build<'m>, file: &str, debugging: &Debugging) -> Debug<'m> {
        let Debugging { directory, producer, keeps_variables, types } = debugging;
        let unit = build.debug_unit(file, directory, producer, !keeps_variables);
        let info = RefCell::new(DebugInfo { directory: directory.clone(), ..DebugInfo::default() });
        let keeps_variables = *keeps_variables;
        let types = types.clone();
        Debug { unit, keeps_variables, info, described: RefCell::default(), types, inlined: RefCell::default() }
    }

    /// Whether variables keep their values, and closures all their captures.
    pub(crate) fn keeps_variables(&self) -> bool {
        self.keeps_variables
    }

    /// What was collected.
    pub(crate) fn into_info(self) -> DebugInfo {
        let types = self.described.into_inner().types();
        DebugInfo { types, ..self.info.into_inner() }
    }
}

impl<'m> Shared<'_, 'm> {
    /// The scope of a function, whose signature is described.
    pub(crate) fn debug_scope(&self, id: FunctionId) -> Option<Scope<'m>> {
        let debug = self.debug.as_ref()?;
        let function = &self.program.functions[id];
        let symbol = self.function_symbol(id);
        let name = match function.convention {
            Convention::Exported(symbol) => symbol,
            Convention::Known | Convention::Closure { .. } => function.origin,
        };
        let parameters = function.params.iter().map(|param| function.locals[*param].ty);
        let parameters = parameters.filter_map(|ty| self.debug_type(ty)).collect();
        let described =
            DebugFunction { symbol: symbol.to_owned(), result: self.debug_type(function.result), parameters };
        debug.info.borrow_mut().functions.push(described);
        self.retain_closure(debug, id, function);
        Some(self.new_scope(debug, name, function.span))
    }

    /// The scope of a function whose call was replaced by its body.
    pub(crate) fn inlined_scope(&self, name: Symbol, definition: Span) -> Option<Scope<'m>> {
        let debug = self.debug.as_ref()?;
        let make = || self.new_scope(debug, name, definition);
        Some(*debug.inlined.borrow_mut().entry(name).or_insert_with(make))
    }

    fn new_scope(&self, debug: &Debug<'m>, name: Symbol, definition: Span) -> Scope<'m> {
        let (file, place) = self.place(definition);
        self.build.debug_function(debug.unit, (name.as_str(), false), (file, place.line as usize))
    }

    /// The scope of the function that runs the program.
    pub(crate) fn main_scope(&self, name: &str, span: Span) -> Option<Scope<'m>> {
        let debug = self.debug.as_ref()?;
        let (file, place) = self.place(span);
        Some(self.build.debug_function(debug.unit, (name, true), (file, place.line as usize)))
    }

    /// Describes the struct of a closure, which a debugger finds by the name of its code; captures that its code does not read
    /// may be left out of it unless variables are kept.
    fn retain_closure(&self, debug: &Debug<'m>, id: FunctionId, function: &Function) {
        if debug.keeps_variables
            && let Convention::Closure { captures, .. } = &function.convention
        {
            let names = captures.iter().map(|capture| function.locals[*capture].name.to_string());
            let types = captures.iter().map(|capture| function.capture_type(&self.program.types, *capture));
            let captures: Vec<(String, Type)> = names.zip(types).collect();
            let layout = self.layouts.closure(id);
            let name = format!("closure {}", self.function_symbol(id));
            let described = debug.described.borrow_mut().closure(self, name, &layout, &captures);
            debug.info.borrow_mut().retained.push(described);
        }
    }

    /// Describes the module-level values that are in memory.
    pub(crate) fn debug_globals(&self) {
        let Some(debug) = &self.debug else { return };
        for (id, global) in self.program.globals.iter() {
            let Some(ty) = self.debug_type_of_variable(global.span, global.ty) else { continue };
            let (file, place) = self.place(global.span);
            let file = file.to_owned();
            let path = global.name.as_str();
            let name = path.rsplit('.').next().unwrap_or(path).to_owned();
            let symbol = self.global_symbol(id).to_owned();
            debug.info.borrow_mut().globals.push(DebugGlobal { symbol, name, ty, file, line: place.line });
        }
    }

    /// The number of a type; `None` for `unit`.
    pub(crate) fn debug_type(&self, ty: Type) -> Option<usize> {
        let debug = self.debug.as_ref()?;
        debug.described.borrow_mut().of(self, ty)
    }

    /// The number of the type of a variable, by its binding occurrence.
    fn debug_type_of_variable(&self, span: Span, ty: Type) -> Option<usize> {
        let debug = self.debug.as_ref()?;
        let mut described = debug.described.borrow_mut();
        let number = described.of(self, ty)?;
        // A name of the source may be bound to values of other types, such as the parts of what it is.
        let is_number =
            matches!(self.program.types.kind(ty), TypeKind::Integer(_) | TypeKind::Float32 | TypeKind::Float64);
        Some(match debug.types.get(&span).filter(|_| is_number) {
            Some(of_source) => described.of_source(of_source, number),
            None => number,
        })
    }

    /// The number of a new variable for a local; `None` if a debugger does not show it.
    pub(crate) fn debug_variable(&self, function: &Function, local: LocalId) -> Option<usize> {
        let debug = self.debug.as_ref()?;
        let named = &function.locals[local];
        let content = match self.program.types.kind(named.ty) {
            TypeKind::Slot(content) => *content,
            _ => named.ty,
        };
        let ty = self.debug_type_of_variable(named.span, content)?;
        let (_, place) = self.place(named.span);
        let explicit = function.params[function.leading_captures..].iter();
        let parameter = explicit.clone().position(|param| *param == local).map(|position| position as u32 + 1);
        let mut info = debug.info.borrow_mut();
        info.variables.push(DebugVariable { name: named.name.to_string(), ty, parameter, line: place.line });
        Some(info.variables.len() - 1)
    }
}
