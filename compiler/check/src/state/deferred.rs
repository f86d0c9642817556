//! Checks that wait until more types are known: to the end of a binding, or of the program.

use clef_analysis::matches::{Match, Qualifiers};
use clef_base::{HashSet, Span};
use clef_infer::Ty;
use clef_psg::{LambdaId, NodeId, VariableId};
use clef_types::Primitive;

/// A product, quotient or square root whose number type is not known yet.
#[derive(Clone)]
pub(crate) struct Product {
    pub(crate) primitive: Primitive,
    pub(crate) operands: Vec<Ty>,
    pub(crate) result: Ty,
    pub(crate) span: Span,
}

/// A use, within its group, of a fully annotated function.
#[derive(Clone)]
pub(crate) struct WrittenUse {
    pub(crate) variable: VariableId,
    pub(crate) types: Vec<Ty>,
    pub(crate) span: Span,
}

/// The deferred checks.
#[derive(Clone, Default)]
pub(crate) struct Deferred {
    /// Uses of variables whose group is open.
    pub(crate) group_uses: Vec<(NodeId, VariableId)>,
    /// Uses of variables whose group is open and whose types are fully annotated.
    pub(crate) written_uses: Vec<WrittenUse>,
    /// Matches whose exhaustiveness is checked at the end.
    pub(crate) matches: Vec<Match>,
    /// How their patterns qualify names.
    pub(crate) qualifiers: Qualifiers,
    /// Uses of `enum` whose integer type or enum is not known yet.
    pub(crate) enum_conversions: Vec<(Ty, Ty, Span)>,
    /// Products and roots of numbers whose types are not known yet.
    pub(crate) products: Vec<Product>,
    /// Statements of sequences that yield an element; each is a sequence of that one element.
    pub(crate) yields: HashSet<NodeId>,
    /// Conversion nodes and the collections that they convert to sequences.
    pub(crate) conversions: Vec<(NodeId, NodeId)>,
    /// The enumerators of sequences and the types of their elements, inner ones first.
    pub(crate) generators: Vec<(LambdaId, Ty)>,
    /// Module-level variables that the value restriction prevented from being generalised.
    pub(crate) restricted: Vec<VariableId>,
}
