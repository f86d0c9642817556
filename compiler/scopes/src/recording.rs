//! What names mean, as the checker found it: for editors.
//!
//! In: each name that the checker resolves, if it records. Out: the uses and declarations of the entities of a program. A
//! checker that does not record pays one test per name.
//!
//! A recording may also watch for one name, which an editor inserts at its cursor: where the checker looks that name up, it
//! keeps what names there could mean.

use crate::{
    builtin::Builtin,
    meaning::{Meaning, PatternMeaning, TypeMeaning},
    module::{Entry, ModuleId},
    names::Names,
};
use clef_base::{HashMap, Span, Symbol};
use clef_infer::{Ty, TypeConstructor};
use clef_psg::VariableId;
use clef_syntax::ast::{Name, Path};
use clef_types::{CaseId, DeclaredTypeId, EnumId};

/// What a name can refer to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Entity {
    /// A variable or function.
    Variable(VariableId),
    /// A case of a union.
    Case(CaseId),
    /// A field of a record or of a case, by its position.
    Field(CaseId, usize),
    /// A value of an enum, by its position.
    EnumValue(EnumId, usize),
    /// A library function that is an intrinsic, by its position.
    Intrinsic(usize),
    /// A function or a type of the language itself.
    Builtin(Symbol),
    /// A union or record.
    Type(DeclaredTypeId),
    /// An enum.
    Enum(EnumId),
    /// An abbreviation of a type or a unit of measure, by the span of its name in its declaration.
    Named(Span),
    /// A module or a namespace, by its number.
    Module(u32),
}

/// A name in the source, and what it refers to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Use {
    /// The name.
    pub span: Span,
    /// What it refers to.
    pub entity: Entity,
    /// Whether it declares the entity.
    pub declares: bool,
}

/// Where the watched name is.
#[derive(Clone, Debug)]
pub enum Place {
    /// In an expression, after a qualifier.
    Value(Vec<Symbol>),
    /// In a pattern, after a qualifier.
    Pattern(Vec<Symbol>),
    /// In a type, after a qualifier.
    Type(Vec<Symbol>),
    /// In an `open`, after a qualifier.
    Module(Vec<Symbol>),
    /// After the dot of a value: its type, and the members that are not fields.
    Member(Ty, Vec<(Symbol, Entity)>),
    /// The name of a field; of one record, if it is known which.
    Field(Option<DeclaredTypeId>),
}

/// The watched name: its place, and the names in scope there.
#[derive(Clone)]
pub struct Watched {
    /// Where it is.
    pub place: Place,
    /// What is in scope there.
    pub names: Names,
}

/// The recording of one run.
#[derive(Clone, Default)]
pub struct Recording {
    /// Whether names are recorded.
    pub on: bool,
    /// In the order in which they were resolved.
    pub uses: Vec<Use>,
    /// The number of variables whose declarations are recorded.
    pub variables: usize,
    /// Where abbreviations and units of measure are declared.
    pub named: HashMap<(ModuleId, Symbol), Span>,
    /// The name to watch for.
    pub watch: Option<Symbol>,
    /// Where it was found.
    pub watched: Option<Box<Watched>>,
}

impl Recording {
    /// Records the use of a name.
    pub fn used(&mut self, span: Span, entity: Entity) {
        if self.on {
            self.uses.push(Use { span, entity, declares: false });
        }
    }

    /// Records the declaration of an entity.
    pub fn declared(&mut self, span: Span, entity: Entity) {
        if self.on {
            self.uses.push(Use { span, entity, declares: true });
        }
    }

    /// Records the use of a value.
    pub fn value_used(&mut self, span: Span, name: Symbol, meaning: &Meaning) {
        if self.on {
            self.used(span, Entity::of_value(name, meaning));
        }
    }

    /// Records a name in a pattern.
    pub fn pattern_used(&mut self, span: Span, meaning: &PatternMeaning) {
        if self.on {
            self.used(span, Entity::of_pattern(meaning));
        }
    }

    /// Records a name in a type.
    pub fn type_used(&mut self, name: Name, entry: &Entry<TypeMeaning>) {
        if self.on {
            let declared = self.named.get(&(entry.visibility.module, name.symbol)).copied();
            self.used(name.span, Entity::of_type(name.symbol, &entry.meaning, declared));
        }
    }

    /// Records the declaration of a type in a module.
    pub fn type_declared(&mut self, name: Name, module: ModuleId, meaning: &TypeMeaning) {
        if self.on {
            if let TypeMeaning::Abbreviation(..) | TypeMeaning::Measure(_) = meaning {
                self.named.insert((module, name.symbol), name.span);
            }
            self.declared(name.span, Entity::of_type(name.symbol, meaning, Some(name.span)));
        }
    }

    /// Whether a name is the watched one.
    pub fn watches(&self, name: Symbol) -> bool {
        self.watch == Some(name)
    }

    /// The qualifier of the watched name in a path, if it is there.
    pub fn watched_in(&self, path: &Path) -> Option<Vec<Symbol>> {
        let watch = self.watch?;
        let at = path.segments.iter().position(|segment| segment.symbol == watch)?;
        Some(path.segments[..at].iter().map(|segment| segment.symbol).collect())
    }

    /// Keeps the names in scope at the watched name.
    pub fn found(&mut self, place: Place, names: &Names) {
        if self.watched.is_none() {
            self.watched = Some(Box::new(Watched { place, names: names.clone() }));
        }
    }
}

impl Entity {
    /// The entity of a name in an expression.
    pub fn of_value(name: Symbol, meaning: &Meaning) -> Entity {
        match *meaning {
            Meaning::Variable(variable) => Entity::Variable(variable),
            Meaning::Case(case) => Entity::Case(case),
            Meaning::EnumValue(id, index) => Entity::EnumValue(id, index),
            Meaning::Intrinsic(index) => Entity::Intrinsic(index),
            Meaning::Builtin(Builtin::Printf(printf)) => Entity::Builtin(Symbol::new(printf.name())),
            Meaning::Builtin(
                Builtin::Primitive(_) | Builtin::Convert(_) | Builtin::ConvertChecked(_) | Builtin::Enum,
            ) => Entity::Builtin(name),
        }
    }

    /// The entity of a name in a pattern.
    pub fn of_pattern(meaning: &PatternMeaning) -> Entity {
        match *meaning {
            PatternMeaning::Case(case) => Entity::Case(case),
            PatternMeaning::Constant(variable) => Entity::Variable(variable),
            PatternMeaning::EnumValue(id, index) => Entity::EnumValue(id, index),
        }
    }

    /// The entity of a name in a type; `declared` is where an abbreviation or a unit of measure is declared.
    pub fn of_type(name: Symbol, meaning: &TypeMeaning, declared: Option<Span>) -> Entity {
        match (meaning, declared) {
            (TypeMeaning::Declared(declared), _) => Entity::Type(*declared),
            (TypeMeaning::Simple(Ty::Constructor(TypeConstructor::Enum(id, _), _)), _) => Entity::Enum(*id),
            (TypeMeaning::Abbreviation(..) | TypeMeaning::Measure(_), Some(span)) => Entity::Named(span),
            (
                TypeMeaning::Simple(_)
                | TypeMeaning::Reference
                | TypeMeaning::Array
                | TypeMeaning::NativePointer
                | TypeMeaning::Abbreviation(..)
                | TypeMeaning::Measure(_),
                _,
            ) => Entity::Builtin(name),
        }
    }

    /// The entity of a module.
    pub fn of_module(module: ModuleId) -> Entity {
        Entity::Module(module.into_raw().into_u32())
    }
}
