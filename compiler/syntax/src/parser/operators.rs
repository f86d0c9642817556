//! The precedence of operators, after the F# language specification, section 4.4.2: by the first characters, so that
//! operators which a program defines have a place in it too.

/// How tightly an operator binds, from loose to tight.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Level {
    /// `||`, `or`.
    Or,
    /// `&&`, `&`.
    And,
    /// `:>`, `:?>`.
    Cast,
    /// `=`, and what begins with `<`, `>`, `|`, `&`, `$` or `!=`.
    Compare,
    /// `&&&`, `|||`, `^^^`, `<<<`, `>>>`.
    Bits,
    /// What begins with `^` or `@`.
    Append,
    /// `::`.
    Cons,
    /// `:?`.
    TypeTest,
    /// What begins with `+` or `-`.
    Sum,
    /// What begins with `*`, `/` or `%`.
    Product,
    /// What begins with `**`.
    Power,
    /// Application.
    Application,
}

/// On which side operators of one level group.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Associativity {
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

    /// How operators of this level group.
    pub(crate) fn associativity(self) -> Associativity {
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

/// The level of an operator between operands; `None` for `:=`, which is looser than tuples, and for operators that only
/// stand before an operand.
pub(crate) fn infix_level(operator: &str) -> Option<Level> {
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

/// Whether an operator stands before one operand, and binds it as tightly as field selection: `!x`, `~~~x`.
pub(crate) fn is_tight_prefix(operator: &str) -> bool {
    operator.starts_with('~') || operator.starts_with('!') && !operator.starts_with("!=")
}

/// Whether an operator that stands between operands may also stand before one: `-x`.
pub(crate) fn is_loose_prefix(operator: &str) -> bool {
    matches!(operator, "+" | "-" | "+." | "-." | "%" | "%%" | "&" | "&&")
}
