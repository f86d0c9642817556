//! What a debugger shows of a program: the types and names of variables, and where their values are.
//!
//! In: Core with the names of the source. Out: notes in the MLIR of functions, and the [`DebugInfo`] that they refer to.
//! Locals whose names contain `$` were added by the compiler and are not shown.

use crate::{debug_types::Described, module::Shared, symbol::Generated};
use clef_base::{HashMap, Span, Symbol};
use clef_core::{Convention, Function, FunctionId, LocalId};
use clef_mlir::{
    Build, Constant, Global, Scope, Unit,
    llvm::{DebugFunction, DebugGlobal, DebugInfo, DebugVariable, Held},
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
    /// Module-level values that Core does not have, since they are written at each use.
    pub constants: Vec<SourceConstant>,
}

/// The value of a literal.
#[derive(Clone, Copy, Debug)]
pub enum Literal {
    /// The bits of a machine value.
    Bits(u64),
    /// A string.
    Text(Symbol),
}

/// A module-level value that is a literal.
#[derive(Clone, Debug)]
pub struct SourceConstant {
    /// Its path.
    pub path: Symbol,
    /// Where it is bound.
    pub span: Span,
    /// Its type.
    pub ty: Type,
    /// Its value.
    pub value: Literal,
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
    constants: Vec<SourceConstant>,
    /// The scopes of functions whose calls were replaced, by their names.
    inlined: RefCell<HashMap<Symbol, Scope<'m>>>,
}

impl<'m> Debug<'m> {
    /// Nothing collected yet.
    pub(crate) fn new(build: &Build<'m>, file: &str, debugging: &Debugging) -> Debug<'m> {
        let Debugging { directory, producer, keeps_variables, types, constants } = debugging;
        let unit = build.debug_unit(file, directory, producer, !keeps_variables);
        let info = RefCell::new(DebugInfo { directory: directory.clone(), ..DebugInfo::default() });
        let keeps_variables = *keeps_variables;
        let (types, constants) = (types.clone(), constants.clone());
        Debug {
            unit,
            keeps_variables,
            info,
            described: RefCell::default(),
            types,
            constants,
            inlined: RefCell::default(),
        }
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
            debug.described.borrow_mut().closure(self, name, &layout, &captures);
        }
    }

    /// Describes the module-level values of the source, after all code that may refer to them. Of equal names a debugger
    /// finds the first: that of a module precedes those of modules within it.
    pub(crate) fn debug_globals(&self) {
        let Some(debug) = &self.debug else { return };
        let of_source = self.program.globals.iter().filter(|(_, global)| !global.name.as_str().contains('$'));
        for (id, global) in of_source {
            let held = Held::Memory(self.global_symbol(id).to_owned());
            self.debug_global(debug, global.name, (global.span, global.ty), held);
        }
        for constant in &debug.constants {
            let held = match constant.value {
                Literal::Bits(bits) => Some(Held::Number(bits)),
                Literal::Text(text) => self.described_text(constant.path, text),
            };
            held.into_iter()
                .for_each(|held| self.debug_global(debug, constant.path, (constant.span, constant.ty), held));
        }
        debug.info.borrow_mut().globals.sort_by_key(|global| global.modules.len());
    }

    /// A string whose bytes are in the image, if they are: a constant that nothing refers to, so that it is no part of the
    /// image itself.
    fn described_text(&self, path: Symbol, text: Symbol) -> Option<Held> {
        let bytes = [Generated::Text, Generated::TerminatedText].map(|kind| kind.symbol(text.number()));
        let bytes = bytes.into_iter().find(|symbol| self.build.has_symbol(symbol))?;
        let symbol = Generated::Literal.symbol(path);
        let word = self.build.int(self.layouts.word_bits());
        let length = Constant::Integer(word, text.as_str().len() as i64);
        let ty = self.build.record(&[self.build.ptr(), word]);
        let content = Constant::Aggregate(ty, vec![Constant::address(&bytes), length]);
        self.build.global(&Global::constant(&symbol, content));
        Some(Held::Memory(symbol))
    }

    fn debug_global(&self, debug: &Debug<'m>, path: Symbol, (span, ty): (Span, Type), held: Held) {
        let Some(ty) = self.debug_type_of_variable(span, ty) else { return };
        let mut modules: Vec<String> = path.as_str().split('.').map(str::to_owned).collect();
        let Some(name) = modules.pop() else { return };
        let (file, place) = self.place(span);
        let (file, line) = (file.to_owned(), place.line);
        debug.info.borrow_mut().globals.push(DebugGlobal { held, modules, name, ty, file, line });
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

    /// The number of a new variable for a local; `None` if a debugger does not show it. It may be a parameter of a function
    /// that was inlined, with its position.
    pub(crate) fn debug_variable(&self, function: &Function, local: LocalId, inlined: Option<u32>) -> Option<usize> {
        let debug = self.debug.as_ref()?;
        let named = &function.locals[local];
        let content = match self.program.types.kind(named.ty) {
            TypeKind::Slot(content) => *content,
            _ => named.ty,
        };
        let ty = self.debug_type_of_variable(named.span, content)?;
        let (_, place) = self.place(named.span);
        let explicit = function.params[function.leading_captures..].iter();
        let parameter =
            explicit.clone().position(|param| *param == local).map(|position| position as u32 + 1).or(inlined);
        let mut info = debug.info.borrow_mut();
        info.variables.push(DebugVariable { name: named.name.to_string(), ty, parameter, line: place.line });
        Some(info.variables.len() - 1)
    }
}
