//! The precedence of operators, after the F# language specification, section 4.4.2. It depends on the first characters,
//! so that it is defined for user-defined operators too.

/// How tightly an operator binds, from loose to tight.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Level {
    /// `||`, `or`.
    Or,
    /// `&&`, `&`.
    And,
    /// `:>`, `:?>`.
    Cast,
    /// `=`, and operators that start with `<`, `>`, `|`, `&`, `$` or `!=`.
    Compare,
    /// `&&&`, `|||`, `^^^`, `<<<`, `>>>`.
    Bits,
    /// Operators that start with `^` or `@`.
    Append,
    /// `::`.
    Cons,
    /// `:?`.
    TypeTest,
    /// Operators that start with `+` or `-`.
    Sum,
    /// Operators that start with `*`, `/` or `%`.
    Product,
    /// Operators that start with `**`.
    Power,
    /// Application.
    Application,
}

/// The associativity of a level.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Associativity {
    /// `(a ∘ b) ∘ c`.
    Left,
    /// `a ∘ (b ∘ c)`.
    Right,
}

impl Level {
    /// The next tighter level.
    pub(crate) fn tighter(self) -> Level {
        match self {
            Level::Or => Level::And,
            Level::And => Level::Cast,
            Level::Cast => Level::Compare,
            Level::Compare => Level::Bits,
            Level::Bits => Level::Append,
            Level::Append => Level::Cons,
            Level::Cons => Level::TypeTest,
            Level::TypeTest => Level::Sum,
            Level::Sum => Level::Product,
            Level::Product => Level::Power,
            Level::Power | Level::Application => Level::Application,
        }
    }

    /// The associativity of operators of this level.
    pub fn associativity(self) -> Associativity {
        match self {
            Level::Cast | Level::Append | Level::Cons | Level::Power => Associativity::Right,
            Level::Or
            | Level::And
            | Level::Compare
            | Level::Bits
            | Level::TypeTest
            | Level::Sum
            | Level::Product
            | Level::Application => Associativity::Left,
        }
    }
}

/// The level of an infix operator; `None` for `:=`, which is looser than tuples, and for operators that are only prefix
/// operators.
pub fn infix_level(operator: &str) -> Option<Level> {
    if operator == ":=" || is_tight_prefix(operator) {
        return None;
    }
    Some(match operator {
        "||" => Level::Or,
        "&&" | "&" => Level::And,
        ":>" | ":?>" => Level::Cast,
        ":?" => Level::TypeTest,
        "::" => Level::Cons,
        "&&&" | "|||" | "^^^" | "<<<" | ">>>" => Level::Bits,
        _ if operator.starts_with("**") => Level::Power,
        _ => match operator.chars().next() {
            Some('*' | '/' | '%') => Level::Product,
            Some('+' | '-') => Level::Sum,
            Some('@' | '^') => Level::Append,
            _ => Level::Compare,
        },
    })
}

/// Whether an operator is a prefix operator that binds as tightly as field selection: `!x`, `~~~x`.
pub(crate) fn is_tight_prefix(operator: &str) -> bool {
    operator.starts_with('~') || operator.starts_with('!') && !operator.starts_with("!=")
}

/// Whether an infix operator may also be a prefix operator: `-x`.
pub(crate) fn is_loose_prefix(operator: &str) -> bool {
    matches!(operator, "+" | "-" | "+." | "-." | "%" | "%%" | "&" | "&&")
}
