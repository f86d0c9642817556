//! Constructs that are rejected as outside the language, and those that this version does not support yet.

use crate::checker::Checker;
use clef_base::{Diagnostic, Span, codes};
use clef_syntax::ast::Refused;

macro_rules! later {
    ($($variant:ident = $plural:literal,)*) => {
        /// A construct of Clef that this version parses but does not compile.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(crate) enum Later { $($variant,)* }

        impl Later {
            /// The plural noun for messages.
            pub(crate) fn plural(self) -> &'static str {
                match self { $(Later::$variant => $plural,)* }
            }
        }
    };
}

later! {
    RangeExpressions = "ranges outside `for … in`",
    ByteStrings = "byte strings as constants",
}

impl Checker<'_> {
    /// Reports a construct that is not supported yet.
    pub(crate) fn report_later(&mut self, construct: Later, span: Span) {
        self.report_unsupported(construct.plural(), span);
    }

    /// Reports a construct that is not supported yet, named by a plural noun.
    pub(crate) fn report_unsupported(&mut self, plural: &str, span: Span) {
        self.report(
            Diagnostic::error(
                codes::NOT_SUPPORTED_YET,
                span,
                format!("{plural} are not supported by this version of clefc"),
            )
            .note("this is Clef, and is understood; only its compilation is missing"),
        );
    }

    /// Reports a construct of F# that Clef does not have.
    pub(crate) fn report_rejected(&mut self, rejected: Refused, span: Span) {
        let text = self.input.sources.text(span);
        if let (Refused::Bang, Some(rest)) = (rejected, text.strip_prefix("return"))
            && !rest.starts_with('!')
        {
            let word = Span { end: span.start + (text.len() - rest.trim_start().len()) as u32, ..span };
            let error = Diagnostic::error(codes::NOT_IN_CLEF, span, "Clef has no `return`");
            let error = error.note("the last expression of a function is its value");
            self.report(error.fix("remove the word", word, ""));
            return;
        }
        if let Refused::ReservedWord = rejected {
            let word = text.split_whitespace().next().unwrap_or(text);
            let error = Diagnostic::error(codes::NOT_IN_CLEF, span, format!("the word `{word}` is reserved"));
            self.report(match word {
                "open" => Diagnostic::error(codes::NOT_IN_CLEF, span, "Clef has no `open type`")
                    .note("there are no classes whose members it could bring into scope")
                    .help("open a module: `open Name`"),
                "const" => error.help("bind a constant by `let`"),
                "extern" => error
                    .note("functions of other languages are declared by an attribute")
                    .help("write `[<Extern(\"symbol\")>] let f (a: int32) : int32 = Unchecked.defaultof<_>`"),
                _ => error.help("choose another name, or write it in double backquotes"),
            });
            return;
        }
        let (what, instead) = describe(rejected);
        self.report(Diagnostic::error(codes::NOT_IN_CLEF, span, format!("Clef has no {what}")).help(instead));
    }
}

/// The name of a rejected construct, and an alternative.
fn describe(rejected: Refused) -> (&'static str, &'static str) {
    match rejected {
        Refused::ExceptionDeclaration => ("exceptions", "return a `Result` whose error case says what went wrong"),
        Refused::Class => ("classes", "use a record or a union, and functions over it"),
        Refused::Interface => ("interfaces", "use a record of functions"),
        Refused::Members => ("members", "write functions in a module of the type's name"),
        Refused::Delegate => ("delegates", "use a function type such as `int -> unit`"),
        Refused::Extension => ("type extensions", "write functions in a module of the type's name"),
        Refused::Try => ("exception handling", "return a `Result` and match on it"),
        Refused::ObjectConstruction => ("objects", "use a record or a union case"),
        Refused::ComputationExpression => ("computation expressions but `seq`", "write the steps as plain functions"),
        Refused::AnonymousRecord => ("anonymous records", "declare a record type, or use a tuple"),
        Refused::Quotation => ("quotations", "pass a function"),
        Refused::ActivePattern => {
            ("active patterns", "write a function that returns a union or an option, and match on it")
        }
        Refused::TypeTest => ("type tests and casts", "use a union, whose cases `match` tells apart"),
        Refused::Null => ("`null`", "use an option: `None`"),
        Refused::Directive => ("compiler directives", "name the sources in `clef.toml`"),
        Refused::Bang => ("`let!` and its like", "write the steps as plain functions"),
        Refused::AddressOf => ("addresses of values", "use a `ref` cell"),
        Refused::MemberConstraint => ("member constraints", "pass the function as an argument"),
        Refused::ReservedWord => {
            ("a meaning for this reserved word", "choose another name, or write it in double backquotes")
        }
    }
}
