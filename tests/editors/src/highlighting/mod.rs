//! Grammars for highlighting without a parser.
//!
//! In: the compiler's tables of tokens. Out: the rules of [`rules`], written for VS Code ([`textmate`]), for `bat` and
//! Sublime Text ([`sublime`]) and for Kate ([`kate`]), and the words for Emacs ([`emacs`]). The patterns are in the common part of the three dialects of
//! regular expressions. No pattern extends over a line.

mod emacs;
mod kate;
mod rules;
mod sublime;
mod textmate;

pub use emacs::emacs;
pub use kate::kate;
pub use rules::{Lists, rules};
pub use sublime::sublime;
pub use textmate::textmate;

/// What a piece of text is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[allow(missing_docs)]
pub enum Class {
    LineComment,
    BlockComment,
    Documentation,
    Directive,
    Control,
    Declaration,
    Modifier,
    Constant,
    Wildcard,
    Reserved,
    Attribute,
    Type,
    TypeName,
    TypeVariable,
    Value,
    Function,
    Module,
    Constructor,
    Number,
    Character,
    Quoted,
    Escape,
    Format,
    Hole,
    Operator,
    Bracket,
    Separator,
    Invalid,
}

impl Class {
    /// Each class with its scope for TextMate, without the name of the language, and its style in Kate.
    pub const ALL: [(Class, &str, &str); 28] = [
        (Class::LineComment, "comment.line.double-slash", "dsComment"),
        (Class::BlockComment, "comment.block", "dsComment"),
        (Class::Documentation, "comment.line.documentation", "dsDocumentation"),
        (Class::Directive, "keyword.control.directive", "dsPreprocessor"),
        (Class::Control, "keyword.control", "dsControlFlow"),
        (Class::Declaration, "keyword.other", "dsKeyword"),
        (Class::Modifier, "storage.modifier", "dsKeyword"),
        (Class::Constant, "constant.language", "dsConstant"),
        (Class::Wildcard, "variable.language", "dsVariable"),
        (Class::Reserved, "keyword.other.reserved", "dsKeyword"),
        (Class::Attribute, "entity.other.attribute-name", "dsAttribute"),
        (Class::Type, "support.type", "dsDataType"),
        (Class::TypeName, "entity.name.type", "dsDataType"),
        (Class::TypeVariable, "variable.parameter.type", "dsDataType"),
        (Class::Value, "support.function", "dsBuiltIn"),
        (Class::Function, "entity.name.function", "dsFunction"),
        (Class::Module, "entity.name.namespace", "dsImport"),
        (Class::Constructor, "entity.name.type.constructor", "dsNormal"),
        (Class::Number, "constant.numeric", "dsDecVal"),
        (Class::Character, "constant.character", "dsChar"),
        (Class::Quoted, "string.quoted.double", "dsString"),
        (Class::Escape, "constant.character.escape", "dsSpecialChar"),
        (Class::Format, "constant.other.placeholder", "dsSpecialChar"),
        (Class::Hole, "punctuation.section.interpolation", "dsSpecialChar"),
        (Class::Operator, "keyword.operator", "dsOperator"),
        (Class::Bracket, "punctuation.section.brackets", "dsNormal"),
        (Class::Separator, "punctuation.separator", "dsNormal"),
        (Class::Invalid, "invalid.illegal", "dsError"),
    ];

    /// Its scope for TextMate.
    pub fn scope(self) -> String {
        let scope = Class::ALL.iter().find(|(class, ..)| *class == self).map_or("", |(_, scope, _)| scope);
        format!("{scope}.clef")
    }
}

/// A rule of a list. The first rule that matches at the earliest position applies.
pub enum Rule {
    /// Text of one class, or of none.
    Text(String, Option<Class>),
    /// Pieces that follow each other.
    Pieces(Vec<(String, Option<Class>)>),
    /// What extends to a closing text.
    Region(Region),
    /// The rules of another list.
    Include(&'static str),
}

/// Text between an opening and a closing text.
pub struct Region {
    /// The pattern of the opening text.
    pub open: String,
    /// The pattern of the closing text.
    pub close: String,
    /// The class of both.
    pub delimiter: Class,
    /// The class of what is between them, where no rule applies.
    pub content: Option<Class>,
    /// The list of rules between them.
    pub rules: &'static str,
}

/// What the generated files say of themselves.
const NOTICE: &str = "Written from the compiler's tables of tokens by `UPDATE=1 cargo test -p clef-editors`.";
