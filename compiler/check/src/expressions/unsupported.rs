//! Constructs that are rejected as outside the language, and those that this version does not support yet.

use crate::checker::Checker;
use clef_base::{Diagnostic, Span, codes};
use clef_syntax::{ast::Unsupported, elsewhere};

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
    RangeExpressions = "ranges outside of `for … in`",
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
            .note("this is valid Clef, but the compiler does not support it yet"),
        );
    }

    /// Reports a construct of F# that Clef does not have.
    pub(crate) fn report_unsupported_construct(&mut self, construct: Unsupported, span: Span) {
        let text = self.input.sources.text(span);
        if let (Unsupported::Bang, Some(rest)) = (construct, text.strip_prefix("return"))
            && !rest.starts_with('!')
        {
            let word = Span { end: span.start + (text.len() - rest.trim_start().len()) as u32, ..span };
            let error = Diagnostic::error(codes::NOT_IN_CLEF, span, "Clef has no `return`");
            let error = error.note("a function returns the value of its last expression");
            self.report(error.fix("remove the keyword", word, ""));
            return;
        }
        if let Unsupported::ReservedWord = construct {
            let word = text.split_whitespace().next().unwrap_or(text);
            let error = Diagnostic::error(codes::NOT_IN_CLEF, span, format!("the word `{word}` is reserved"));
            self.report(match word {
                "open" => Diagnostic::error(codes::NOT_IN_CLEF, span, "Clef has no `open type`")
                    .note("there are no classes with static members")
                    .help("open a module: `open Name`"),
                "const" => error.help("use `let` for a constant"),
                "extern" => error
                    .note("declare a foreign function with an attribute")
                    .help("write `[<Extern(\"symbol\")>] let f (a: int32) : int32 = Unchecked.defaultof<_>`"),
                _ => error.fix("use another name, or quote it with double backticks", span, format!("``{word}``")),
            });
            return;
        }
        let (what, mut instead) = construct.described();
        if let Unsupported::Directive = construct {
            let rest = text.trim_start_matches('#');
            let known = elsewhere::DIRECTIVES.iter().find(|(known, _)| Some(*known) == rest.split_whitespace().next());
            if known.is_none() && rest.starts_with(' ') {
                let hash = Span { end: span.start + (text.len() - rest.len()) as u32, ..span };
                let error = Diagnostic::error(codes::NOT_IN_CLEF, span, "comments start with `//`, not `#`");
                self.report(error.fix("write `//`", hash, "//"));
                return;
            }
            instead = known.map_or(instead, |(_, instead)| *instead);
        }
        if construct.declares() {
            self.reports.rejected.push(span);
        }
        self.report(Diagnostic::error(codes::NOT_IN_CLEF, span, format!("Clef has no {what}")).help(instead));
    }
}
