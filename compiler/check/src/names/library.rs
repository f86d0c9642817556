//! The library functions that the checker itself calls.
//!
//! A function is found by its module and name, independently of the names that the program has in scope and of its
//! visibility.

use crate::checker::Checker;
use clef_base::{Span, Symbol, diagnostic::has_errors, internal::bug};
use clef_infer::Ty;
use clef_psg::{NodeId, NodeKind};
use clef_scopes::PatternMeaning;
use clef_types::{CaseId, Intrinsic};

macro_rules! library_functions {
    ($($(#[$doc:meta])* $variant:ident = $module:literal, $name:literal;)*) => {
        /// A library function that implements a construct of the language.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(crate) enum LibraryFunction { $($(#[$doc])* $variant,)* }

        impl LibraryFunction {
            /// Its module and its name.
            fn place(self) -> (&'static str, &'static str) {
                match self { $(LibraryFunction::$variant => ($module, $name),)* }
            }
        }
    };
}

library_functions! {
    /// `unit -> unit`: traps, since the step of a range is 0.
    RangeZeroStep = "Prelude", "zeroStep";
    /// `'a list -> 'a list -> 'a list`: `@`.
    ListAppend = "List", "append";
    /// `'a array -> 'a list`: list expressions of many elements.
    ListOfArray = "List", "ofArray";
    /// `'a list -> 'a list`: the elements of a comprehension, reversed into order.
    ListCollected = "List", "reverseInPlace";
    /// `'a list -> int -> 'a`: `list[index]`.
    ListAt = "List", "elementAt";
    /// `'a list -> int -> int -> 'a list`: `list[first..last]`.
    ListSlice = "List", "between";
    /// `'a array -> int -> 'a -> 'a array`: appends an element to a buffer.
    ArrayPush = "Array", "pushed";
    /// `'a array -> int -> 'a array`: the elements of a buffer.
    ArrayCollected = "Array", "collected";
    /// `'a array -> int -> int -> 'a array`: `array[first..last]`.
    ArraySlice = "Array", "between";
    /// `'a array -> int -> int -> 'a array -> unit`: `array[first..last] <- values`.
    ArraySetSlice = "Array", "setBetween";
    /// `(unit -> Enumerator<'a>) -> seq<'a>`: `seq { … }`, from a function that starts an enumeration.
    SeqMake = "SeqValue", "make";
    /// `(unit -> option<'a>) -> Enumerator<'a>`: an enumeration, from a function that returns the next element.
    SeqEnumerator = "SeqValue", "enumerator";
    /// `seq<'a> -> unit -> option<'a>`: starts an enumeration.
    SeqStart = "SeqValue", "start";
    /// `Map<'k, 'v> -> 'k -> 'v`: `map[key]`.
    MapAt = "Map", "at";
    /// `Map<'k, 'v> -> KeyValuePair<'k, 'v> list`: the source of a loop over a map.
    MapPairs = "Map", "pairs";
    /// `Set<'a> -> Set<'a> -> Set<'a>`: `+` on sets.
    SetUnion = "Set", "union";
    /// `Set<'a> -> Set<'a> -> Set<'a>`: `-` on sets.
    SetDifference = "Set", "difference";
    /// `Set<'a> -> 'a list`: the source of a loop over a set.
    SetToList = "Set", "toList";
    /// `'a list -> seq<'a>`, and the same of other collections.
    SeqOfList = "Seq", "ofList";
    /// `('a -> 'b) -> seq<'a> -> seq<'b>`: collections of collections.
    SeqMap = "Seq", "map";
    /// `'a array -> seq<'a>`.
    SeqOfArray = "Seq", "ofArray";
    /// `string -> seq<char>`.
    SeqOfString = "Seq", "ofString";
    /// `Map<'k, 'v> -> seq<KeyValuePair<'k, 'v>>`.
    SeqOfMap = "Map", "asSeq";
    /// `Set<'a> -> seq<'a>`.
    SeqOfSet = "Set", "toSeq";
    /// `string -> int -> char * int`: a character and the index after it.
    StringDecode = "Characters", "decode";
    /// `string -> int -> char`: `text[index]`.
    StringAt = "String", "charAt";
    /// `string -> int -> int -> string`: `text[first..last]`.
    StringSlice = "String", "between";
    /// `int -> (unit -> unit) -> unit`: runs a test, if it is selected.
    TestRun = "Testing", "run";
    /// `int -> int -> int -> string -> string`: a width or a sign in a format. Lowering refers to it by name.
    TextPadded = "Text", "padded";
    /// The same with zeros after the fraction of a float.
    TextExtended = "Text", "extended";
    /// `string -> string`: `N2`.
    TextGrouped = "Text", "grouped";
    /// `string -> string`: `P2`.
    TextPercent = "Text", "percent";
    /// `int -> int -> int -> bool -> bool -> string -> string`: patterns such as `0.00`.
    TextPatterned = "Text", "patterned";
    /// `int -> float -> string`: `%.*f`.
    TextFixed = "Text", "pointedBy";
    /// `int -> float -> string`: `%.*e`.
    TextExponent = "Text", "exponent";
    /// `int -> float -> string`: `%.*E`.
    TextExponentUpper = "Text", "exponentUpper";
    /// `int -> float -> string`: `%.*g`.
    TextSignificant = "Text", "significant";
    /// `int -> float -> string`: `%.*G`.
    TextSignificantUpper = "Text", "significantUpper";
}

impl Checker<'_> {
    /// A case that the library declares.
    pub(crate) fn library_case(&self, module: &str, name: &str) -> CaseId {
        match self.find_library_case(module, name) {
            Some(case) => case,
            None => bug("check", None, format!("the library has no case `{module}.{name}`")),
        }
    }

    /// Does the same, if the library has declared the case yet.
    pub(crate) fn find_library_case(&self, module: &str, name: &str) -> Option<CaseId> {
        let modules = self.names.find_modules(&[Symbol::new(module)]);
        let library = modules.into_iter().map(|module| &self.names.modules[module]).find(|module| module.library)?;
        match library.patterns.get(&Symbol::new(name))?.meaning {
            PatternMeaning::Case(case) => Some(case),
            PatternMeaning::Constant(_) | PatternMeaning::EnumValue(..) => None,
        }
    }

    /// A library function as a value.
    pub(crate) fn construct_function(&mut self, function: LibraryFunction, span: Span) -> NodeId {
        let (module, name) = function.place();
        self.library_function(module, name, span)
    }

    /// A call of a library function with checked arguments.
    pub(crate) fn library_call(&mut self, function: LibraryFunction, arguments: Vec<NodeId>, span: Span) -> NodeId {
        let function = self.construct_function(function, span);
        let mut ty = self.graph.type_of(function);
        for &argument in &arguments {
            let given = self.graph.type_of(argument);
            let taken = self.as_function(&ty);
            match taken.filter(|(parameter, _)| self.inference.unify(parameter, &given).is_ok()) {
                Some((_, result)) => ty = result,
                None if has_errors(&self.reports.diagnostics) => return self.graph.error_node(span),
                None => bug("check", span, "an argument does not match the type of a library function"),
            }
        }
        self.make_call(function, arguments, span)
    }

    /// A call of an intrinsic with checked arguments.
    pub(crate) fn intrinsic_call(
        &mut self,
        intrinsic: Intrinsic,
        arguments: Vec<NodeId>,
        result: Ty,
        span: Span,
    ) -> NodeId {
        let types: Vec<Ty> = arguments.iter().map(|&argument| self.graph.type_of(argument)).collect();
        let ty = Ty::functions(types.into_iter(), result.clone());
        let function = self.graph.node(NodeKind::Intrinsic(intrinsic), ty, span);
        self.graph.node(NodeKind::Apply { function, arguments }, result, span)
    }
}
