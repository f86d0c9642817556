//! The textual form of Core, for `--emit core` and for tests: one statement per line, every local with its number,
//! types in source syntax, and after each allocation its storage once it is decided.

use super::{
    Allocation, AllocationId, Atom, Block, Call, Callee, Convention, End, Function, FunctionId, GlobalId, Inlining,
    JoinId, LocalId, MakeClosure, Move, Program, Region, Reuse, Rhs, StatementKind, Storage, Trap,
};
use crate::type_name::type_name;
use clef_types::{IntegerType, Type, TypeKind};
use std::fmt::{self, Display, Write};

impl Display for JoinId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "join{}", self.0)
    }
}

impl Display for Trap {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Trap::DivisionByZero => "division_by_zero",
            Trap::IndexOutOfRange => "index_out_of_range",
            Trap::NoMatch => "no_match",
            Trap::Overflow => "overflow",
        })
    }
}

impl Program {
    /// A type in source syntax.
    pub fn type_name(&self, ty: Type) -> String {
        let declared = |ty| self.declared.get(&ty).map_or_else(|| "?".into(), |declared| declared.name.to_string());
        type_name(&self.types, &declared, ty)
    }
}

/// Writes a whole program: globals, then functions in their order.
pub fn print(program: &Program) -> String {
    let mut text = String::new();
    for (_, global) in program.globals.iter() {
        let mutable = if global.mutable { "mutable " } else { "" };
        let _ = writeln!(text, "global {mutable}{}: {}", global.name, program.type_name(global.ty));
    }
    for (id, _) in program.functions.iter() {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&print_function(program, id));
    }
    text
}

/// Writes one function.
pub fn print_function(program: &Program, id: FunctionId) -> String {
    let function = &program.functions[id];
    let mut printer = Printer { program, function, text: String::new(), depth: 1 };
    printer.header(id);
    printer.block(&function.body);
    printer.text
}

struct Printer<'program> {
    program: &'program Program,
    function: &'program Function,
    text: String,
    depth: usize,
}

impl Printer<'_> {
    fn header(&mut self, id: FunctionId) {
        let function = self.function;
        let kind = match &function.convention {
            Convention::Known => "function",
            Convention::Closure { .. } => "closure",
            Convention::Exported(_) => "exported",
        };
        let inlining = match function.inlining {
            Inlining::Free => "",
            Inlining::Always => "inline ",
            Inlining::AtCall => "at call ",
            Inlining::Never => "noinline ",
        };
        let tag = if self.program.arity_tagged.contains(&id) { " tagged" } else { "" };
        let (captures, explicit) = function.params.split_at(function.leading_captures);
        let _ = write!(self.text, "{inlining}{kind} {}", function.name);
        match &function.convention {
            Convention::Known if captures.is_empty() => {}
            Convention::Exported(symbol) => {
                let _ = write!(self.text, " as {symbol}");
            }
            Convention::Known => {
                let captures = self.bindings(captures);
                let _ = write!(self.text, "[{captures}]");
            }
            Convention::Closure { captures, owned, itself } => {
                let captures = self.bindings(captures);
                let _ = write!(self.text, "[{captures}]");
                if !owned.is_empty() {
                    let owned: Vec<String> = owned.iter().map(|local| self.local(*local)).collect();
                    let _ = write!(self.text, " owns {}", owned.join(", "));
                }
                if let Some(itself) = itself {
                    let _ = write!(self.text, " as {}", self.local(*itself));
                }
            }
        }
        if !function.regions.is_empty() {
            let regions: Vec<String> = function.regions.iter().map(|region| self.local(*region)).collect();
            let _ = write!(self.text, "<{}>", regions.join(", "));
        }
        let (explicit, result) = (self.bindings(explicit), self.ty(function.result));
        let _ = writeln!(self.text, "({explicit}) -> {result}{tag}");
    }

    fn bindings(&self, locals: &[LocalId]) -> String {
        let one = |local: &LocalId| format!("{}: {}", self.local(*local), self.ty(self.function.locals[*local].ty));
        locals.iter().map(one).collect::<Vec<_>>().join(", ")
    }

    fn ty(&self, ty: Type) -> String {
        self.program.type_name(ty)
    }

    fn local(&self, local: LocalId) -> String {
        format!("{}.{}", self.function.locals[local].name, local.into_raw())
    }

    fn name(&self, function: FunctionId) -> String {
        self.program.functions[function].name.to_string()
    }

    fn global(&self, global: GlobalId) -> String {
        self.program.globals[global].name.to_string()
    }

    fn line(&mut self, text: &str) {
        let _ = writeln!(self.text, "{:1$}{text}", "", self.depth * 4);
    }

    fn nested(&mut self, block: &Block) {
        self.depth += 1;
        self.block(block);
        self.depth -= 1;
    }

    fn block(&mut self, block: &Block) {
        for statement in &block.statements {
            match &statement.kind {
                StatementKind::Let(local, rhs) => self.let_(*local, rhs),
                StatementKind::Group(members) => {
                    self.line("group");
                    self.depth += 1;
                    for (local, closure) in members {
                        let text = format!("{} = {}", self.bindings(&[*local]), self.closure(closure));
                        self.line(&text);
                    }
                    self.depth -= 1;
                }
            }
        }
        self.end(&block.end);
    }

    fn let_(&mut self, local: LocalId, rhs: &Rhs) {
        let bound = self.bindings(&[local]);
        if let Rhs::Scope(block) = rhs {
            self.line(&format!("{bound} = scope"));
            self.nested(block);
        } else if let Rhs::While { condition, body } = rhs {
            self.line(&format!("{bound} = while"));
            self.nested(condition);
            self.line("do");
            self.nested(body);
        } else {
            let text = format!("{bound} = {}", self.rhs(rhs));
            self.line(&text);
        }
    }

    fn rhs(&self, rhs: &Rhs) -> String {
        match rhs {
            Rhs::Atom(atom) => self.atom(atom),
            Rhs::Primitive(primitive, atoms) => {
                format!("{} {}", snake_case(&format!("{primitive:?}")), self.atoms(atoms))
            }
            Rhs::Intrinsic { intrinsic, arguments, allocation } => {
                let storage = allocation.map(|allocation| self.storage(allocation)).unwrap_or_default();
                format!("{} {}{storage}", intrinsic.name(), self.atoms(arguments))
            }
            Rhs::Concatenate { parts, allocation } => {
                format!("concatenate {}{}", self.atoms(parts), self.storage(*allocation))
            }
            Rhs::Call(call) => format!("call {}", self.call(call)),
            Rhs::Foreign { symbol, arguments } => format!("foreign {symbol}({})", self.atoms(arguments)),
            Rhs::FunctionAddress(function) => format!("address of {}", self.name(*function)),
            Rhs::Closure(closure) => self.closure(closure),
            Rhs::Arity(atom) => format!("arity {}", self.atom(atom)),
            Rhs::Tuple(atoms) => format!("tuple ({})", self.atoms(atoms)),
            Rhs::Component(atom, index) => format!("component {index} of {}", self.atom(atom)),
            Rhs::Array { elements, allocation } => {
                format!("array [{}]{}", self.atoms(elements), self.storage(*allocation))
            }
            Rhs::Inject { ty, case, fields, allocation, reuse } => {
                let storage = allocation.map(|allocation| self.storage(allocation)).unwrap_or_default();
                let reuse = reuse.as_ref().map(|reuse| self.reuse(reuse)).unwrap_or_default();
                format!("inject {} {}({}){reuse}{storage}", self.ty(*ty), self.case(*ty, *case), self.atoms(fields))
            }
            Rhs::Tag(atom) => format!("tag {}", self.atom(atom)),
            Rhs::Field { value, case, field } => format!("field {case}.{field} of {}", self.atom(value)),
            Rhs::Slot(atom) => format!("slot {}", self.atom(atom)),
            Rhs::ReadSlot(atom) => format!("read {}", self.atom(atom)),
            Rhs::WriteSlot(slot, value) => format!("write {} <- {}", self.atom(slot), self.atom(value)),
            Rhs::MakeReference { value, allocation } => {
                format!("ref {}{}", self.atom(value), self.storage(*allocation))
            }
            Rhs::ReadReference(atom) => format!("dereference {}", self.atom(atom)),
            Rhs::WriteField { value, case, field, content } => {
                format!("field {case}.{field} of {} <- {}", self.atom(value), self.atom(content))
            }
            Rhs::WriteReference(cell, value) => format!("assign {} := {}", self.atom(cell), self.atom(value)),
            Rhs::ReadGlobal(global) => format!("global {}", self.global(*global)),
            Rhs::WriteGlobal(global, value) => format!("global {} <- {}", self.global(*global), self.atom(value)),
            Rhs::EnterRegion => "enter".into(),
            Rhs::LeaveRegion(region) => format!("leave {}", self.atom(region)),
            Rhs::PopClosure(region) => format!("pop closure in {}", self.atom(region)),
            Rhs::Evacuate { moves, roots, globals, everywhere, masked } => {
                let moves = moves.iter().map(|Move { from, to }| match to {
                    Some(to) => format!("{} to {}", self.atom(from), self.atom(to)),
                    None => self.atom(from),
                });
                let moves: Vec<String> = moves.collect();
                let everywhere = if *everywhere { " everywhere" } else { "" };
                let masked = if *masked { " masked" } else { "" };
                let globals = globals.iter().map(|global| self.program.globals[*global].name.to_string());
                let roots: Vec<String> = roots.iter().map(|root| self.atom(root)).chain(globals).collect();
                format!("evacuate{everywhere}{masked} {} ({})", moves.join(", "), roots.join(", "))
            }
            Rhs::Scope(_) => "scope".into(),
            Rhs::While { .. } => "while".into(),
        }
    }

    fn reuse(&self, reuse: &Reuse) -> String {
        format!(" reusing {}{}", self.atom(&reuse.node), if reuse.is_certain { "" } else { " if there" })
    }

    fn case(&self, ty: Type, case: usize) -> String {
        let declared = self.program.declared.get(&ty).and_then(|declared| declared.cases.get(case));
        declared.map_or_else(|| case.to_string(), |declared| declared.name.to_string())
    }

    fn closure(&self, closure: &MakeClosure) -> String {
        let (name, captures) = (self.name(closure.function), self.atoms(&closure.captures));
        format!("closure {name}[{captures}]{}", self.storage(closure.allocation))
    }

    fn storage(&self, allocation: AllocationId) -> String {
        let Allocation { decision, .. } = &self.program.allocations[allocation];
        match decision.as_ref().map(|decision| decision.storage) {
            None => String::new(),
            Some(Storage::Static) => " in static".into(),
            Some(Storage::Stack) => " in stack".into(),
            Some(Storage::Region(Region::Program)) => " in program".into(),
            Some(Storage::Region(Region::Local(handle))) => format!(" in {}", self.local(handle)),
        }
    }

    fn call(&self, call: &Call) -> String {
        let arguments = self.atoms(&call.arguments);
        let callee = match &call.callee {
            Callee::Known(function) => self.name(*function),
            Callee::Direct(function, closure) => format!("{}@{}", self.name(*function), self.atom(closure)),
            Callee::Closure(closure) => format!("*{}", self.atom(closure)),
        };
        let regions = if call.regions.is_empty() { String::new() } else { format!("<{}>", self.atoms(&call.regions)) };
        format!("{callee}{regions}({arguments})")
    }

    fn atoms(&self, atoms: &[Atom]) -> String {
        atoms.iter().map(|atom| self.atom(atom)).collect::<Vec<_>>().join(", ")
    }

    fn atom(&self, atom: &Atom) -> String {
        match atom {
            Atom::Local(local) => self.local(*local),
            Atom::Unit => "()".into(),
            Atom::Bool(value) => value.to_string(),
            Atom::Integer(value, ty) if *self.program.types.kind(*ty) == TypeKind::Integer(IntegerType::Int) => {
                value.to_string()
            }
            Atom::Integer(value, ty) => format!("{value}:{}", self.ty(*ty)),
            Atom::Float(value, ty) => format!("{value:?}:{}", self.ty(*ty)),
            Atom::Char(value) => format!("{value:?}"),
            Atom::String(text) => format!("{:?}", text.as_str()),
            Atom::Function(function, _) => format!("@{}", self.name(*function)),
            Atom::ProgramRegion => "program".into(),
        }
    }

    fn end(&mut self, end: &End) {
        match end {
            End::Yield(atom) => {
                let text = format!("yield {}", self.atom(atom));
                self.line(&text);
            }
            End::TailCall { call, required, .. } => {
                let text = format!("{}tail call {}", if *required { "required " } else { "" }, self.call(call));
                self.line(&text);
            }
            End::Continue(atoms) => {
                let text = format!("continue ({})", self.atoms(atoms));
                self.line(&text);
            }
            End::If { condition, then, otherwise } => {
                let text = format!("if {} then", self.atom(condition));
                self.line(&text);
                self.nested(then);
                self.line("else");
                self.nested(otherwise);
            }
            End::Switch { scrutinee, cases, default } => {
                let text = format!("switch {}", self.atom(scrutinee));
                self.line(&text);
                for (value, block) in cases {
                    self.line(&format!("case {value}"));
                    self.nested(block);
                }
                if let Some(block) = default {
                    self.line("default");
                    self.nested(block);
                }
            }
            End::Join { join, scope } => {
                self.line("with");
                self.nested(scope);
                let text = format!("{}({})", join.id, self.bindings(&join.params));
                self.line(&text);
                self.nested(&join.body);
            }
            End::Jump(join, atoms) => {
                let text = format!("jump {join}({})", self.atoms(atoms));
                self.line(&text);
            }
            End::Trap(trap, _) => self.line(&format!("trap {trap}")),
        }
    }
}

/// `ShiftLeft` as `shift_left`.
fn snake_case(name: &str) -> String {
    let mut text = String::new();
    for (index, letter) in name.char_indices() {
        if letter.is_uppercase() && index > 0 && name[..index].ends_with(|before: char| before.is_lowercase()) {
            text.push('_');
        }
        text.extend(letter.to_lowercase());
    }
    text
}
