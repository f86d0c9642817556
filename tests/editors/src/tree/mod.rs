//! The tree-sitter grammar of `editors/` beside the compiler's parser.
//!
//! In: the text of a program. Out: the tree of each parser as an [`Outline`], a common projection of both. It keeps every
//! declaration, expression and pattern with its kind, its parts in order, and the exact place of every name, operator and
//! literal. Three differences are of no interest, and both sides leave them out:
//!
//! - parentheses, and blocks of a single expression, which the compiler's tree does not represent;
//! - whether brackets hold elements or a comprehension, which the compiler decides after parsing;
//! - the structure of types: only their names and variables are compared, in the order of the text.

mod compiler;
mod editor;
mod outline;

pub use compiler::{Parsed, parse};
pub use editor::{Mistake, language, mistakes, outline, tree};
pub use outline::Outline;
