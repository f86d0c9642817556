//! Core: the monomorphic program in A-normal form, on which closures are classified and storage is decided.
//!
//! Out of `lower`; changed by `simplify`; given its storage by `place`; read by code generation, which decides nothing
//! any more. Holds throughout (and [`verify`] checks it): operands are [`Atom`]s; each local is bound exactly once and
//! before its uses; no type has a parameter; a call has exactly as many arguments as its callee has parameters. Calls of
//! functions whose arity is not known go through synthesised `apply` functions that read the arity ([`Rhs::Arity`]) and
//! switch on it; partial applications are closures of synthesised functions.

pub mod callees;
mod capture_parts;
pub mod dead_functions;
mod evacuation;
mod function;
mod operands;
pub mod print;
mod reason;
pub mod references;
mod run_once;
pub mod type_name;
pub mod verify;
mod visit;
mod walk;

pub use capture_parts::capture_parts;
pub use evacuation::Evacuation;
pub use operands::{ConstantTypes, Holders};
pub use run_once::functions_that_run_once;

use clef_base::{Span, Symbol};
use clef_types::{Intrinsic, Primitive, Type, Types};
use la_arena::{Arena, Idx};
use std::collections::{BTreeSet, HashMap};

/// Names a [`Function`].
pub type FunctionId = Idx<Function>;
/// Names a [`Global`].
pub type GlobalId = Idx<Global>;
/// Names a [`Local`] of one function.
pub type LocalId = Idx<Local>;
/// Names an [`Allocation`].
pub type AllocationId = Idx<Allocation>;
/// Names a [`Join`] of one function; given out by [`Function::joins`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct JoinId(pub u32);

/// A whole program.
#[derive(Clone, Debug)]
pub struct Program {
    /// The table of types.
    pub types: Types,
    /// The cases of each instance of a declared type that occurs, in the order of tags.
    pub declared: HashMap<Type, Declared>,
    /// All functions.
    pub functions: Arena<Function>,
    /// Module-level values that are stored: not functions that are called directly, not constants.
    pub globals: Arena<Global>,
    /// Everything that needs memory, with its storage once `place` has run.
    pub allocations: Arena<Allocation>,
    /// Runs the initialisers in order and the entry point; no parameters; its result of type `int` is the exit status.
    pub start: FunctionId,
    /// Functions whose arity must stand before their code, because [`Rhs::Arity`] may read it.
    pub arity_tagged: BTreeSet<FunctionId>,
    /// The function types of values that can be overwritten, but for those that are all constant.
    pub stored: Vec<StoredFunctions>,
    /// What handlers of interrupts use together with the rest of the program.
    pub shared: Shared,
}

/// Memory that may change, or be looked at, between any two instructions of the program.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Shared {
    /// Module-level values.
    pub globals: BTreeSet<GlobalId>,
    /// The content of ref cells and arrays of these types, and the mutable fields of values of these types.
    pub contents: BTreeSet<Type>,
}

/// How the function values of a type are stored where they can be overwritten.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoredFunctions {
    /// The function type.
    pub ty: Type,
    /// By value: the union of the lambdas that they may be, and where these stand, in the order of its cases. By address:
    /// why.
    pub kept: Result<(Type, Vec<Span>), AddressReason>,
}

/// Why addresses of closures are stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AddressReason {
    /// It is not known where a closure was made that is stored here.
    Unknown(Span),
    /// So many lambdas may be stored.
    Many(usize),
    /// A lambda captures a value that holds such a closure.
    Endless,
}

/// An instance of a declared type.
#[derive(Clone, Debug)]
pub struct Declared {
    /// Its name with its arguments, for listings.
    pub name: Symbol,
    /// Its cases.
    pub cases: Vec<DeclaredCase>,
    /// Whether a value is a pointer to a node that holds the fields, because the type contains itself or has mutable
    /// fields.
    pub boxed: bool,
}

/// A case of an instance of a declared type.
#[derive(Clone, Debug)]
pub struct DeclaredCase {
    /// Its name.
    pub name: Symbol,
    /// The types of its fields.
    pub fields: Vec<Type>,
    /// The positions of those that [`Rhs::WriteField`] may overwrite.
    pub mutable: Vec<usize>,
}

/// A function.
#[derive(Clone, Debug)]
pub struct Function {
    /// A name that is unique in the program and says where it comes from: `makeAdder`, `makeAdder.fun`, `id<int>`,
    /// `apply<int -> int -> int,2>`.
    pub name: Symbol,
    /// How it is called.
    pub convention: Convention,
    /// The explicit parameters; for a known function its lifted captures come first.
    pub params: Vec<LocalId>,
    /// The number of leading `params` that are lifted captures (zero for closures).
    pub lifted: usize,
    /// The type of what it returns.
    pub result: Type,
    /// The handles of the regions in which it allocates for its callers; given their values by `region`.
    pub regions: Vec<LocalId>,
    /// Every local: parameters, captures, and what statements and joins bind.
    pub locals: Arena<Local>,
    /// How many joins there are; the next free [`JoinId`].
    pub joins: u32,
    /// What it does.
    pub body: Block,
    /// `inline`, `[<NoInline>]`.
    pub inlining: Inlining,
    /// Where its code lies.
    pub placement: Placement,
    /// Where it comes from.
    pub span: Span,
}

/// How a function is called.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Convention {
    /// Directly, with its captures as leading parameters. It never is a value.
    Known,
    /// With the closure's address before the explicit parameters.
    Closure {
        /// The locals that hold what the struct holds, in the order of the struct's captures: loaded from it at entry
        /// (slots are immutable, so where they are loaded does not matter).
        captures: Vec<LocalId>,
        /// Those of the captures that are cells within the struct: the local is the address of the field, and what a
        /// closure is made with is the cell's first content. Only `place` makes them.
        owned: Vec<LocalId>,
        /// The local that holds the closure itself, if the body uses it (recursion).
        itself: Option<LocalId>,
    },
    /// From other languages, by the C calling convention of the target and this symbol. It is never called from Clef, and
    /// its signature stays as it is.
    Exported(Symbol),
}

/// Where the source wants something to lie in the image.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Placement {
    /// `[<Section("name")>]`.
    pub section: Option<Symbol>,
    /// `[<Align(bytes)>]`: at least this.
    pub align: Option<u32>,
}

/// What the source says about inlining.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Inlining {
    /// Nothing.
    #[default]
    Free,
    /// `inline`.
    Always,
    /// `[<TrapAtCall>]`: the body takes the place of each call, at every level, and its traps name that place.
    AtCall,
    /// `[<NoInline>]`.
    Never,
}

/// A local of a function: immutable, bound once.
#[derive(Clone, Debug)]
pub struct Local {
    /// The name as written, or a name with `$`.
    pub name: Symbol,
    /// Its type.
    pub ty: Type,
    /// Where it is bound.
    pub span: Span,
}

/// A module-level value in static memory, zero before its initialiser has run.
#[derive(Clone, Debug)]
pub struct Global {
    /// Its path, unique in the program.
    pub name: Symbol,
    /// Its type.
    pub ty: Type,
    /// Whether it can be assigned after its initialisation.
    pub mutable: bool,
    /// Where it lies.
    pub placement: Placement,
    /// Where it is bound.
    pub span: Span,
}

/// Statements, then how the block ends.
#[derive(Clone, Debug)]
pub struct Block {
    /// In order.
    pub statements: Vec<Statement>,
    /// Exactly one.
    pub end: End,
}

/// Binds locals.
#[derive(Clone, Debug)]
pub struct Statement {
    /// What is done.
    pub kind: StatementKind,
    /// Where it comes from.
    pub span: Span,
}

/// The kinds of statements.
#[derive(Clone, Debug)]
pub enum StatementKind {
    /// `local = rhs`.
    Let(LocalId, Rhs),
    /// Closures that may capture one another: all are allocated, then their captures are stored.
    Group(Vec<(LocalId, MakeClosure)>),
}

/// An operand: no effect, no cost.
#[derive(Clone, PartialEq, Debug)]
pub enum Atom {
    /// A local.
    Local(LocalId),
    /// `()`.
    Unit,
    /// A truth value.
    Bool(bool),
    /// An integer of a type, in its range.
    Integer(i128, Type),
    /// A float of a type; `float32` is held rounded.
    Float(f64, Type),
    /// A character.
    Char(char),
    /// A string in flash.
    String(Symbol),
    /// The closure of a function without captures, a constant in flash; the type is the function's.
    Function(FunctionId, Type),
    /// The handle of the region that lives as long as the program.
    ProgramRegion,
}

/// What a statement computes.
#[derive(Clone, Debug)]
pub enum Rhs {
    /// A copy.
    Atom(Atom),
    /// An operation on primitive values; compound equality and comparison, division by zero and text are lowered, so
    /// that what is left cannot trap. The operand types decide its meaning.
    Primitive(Primitive, Vec<Atom>),
    /// An operation of the library. `Fail` and `Assert` trap at the statement's place.
    Intrinsic {
        /// Which.
        intrinsic: Intrinsic,
        /// Its arguments.
        arguments: Vec<Atom>,
        /// Where a string that it makes lies.
        allocation: Option<AllocationId>,
    },
    /// Joins strings.
    Concatenate {
        /// At least two.
        parts: Vec<Atom>,
        /// Where the result lies.
        allocation: AllocationId,
    },
    /// A call.
    Call(Call),
    /// A call of a function of another language by the C calling convention of the target.
    Foreign {
        /// The name that the linker looks for.
        symbol: Symbol,
        /// Its arguments, of plain types.
        arguments: Vec<Atom>,
    },
    /// The address of the code of a function of [`Convention::Exported`].
    FunctionAddress(FunctionId),
    /// A closure with captures.
    Closure(MakeClosure),
    /// The arity of a closure's code, as `int`.
    Arity(Atom),
    /// A tuple.
    Tuple(Vec<Atom>),
    /// A component of a tuple.
    Component(Atom, usize),
    /// A fresh array.
    Array {
        /// Its elements; their number is its length.
        elements: Vec<Atom>,
        /// Where it lies.
        allocation: AllocationId,
    },
    /// A value of a declared type.
    Inject {
        /// The instance of the declared type.
        ty: Type,
        /// The tag.
        case: usize,
        /// The fields.
        fields: Vec<Atom>,
        /// Where its node lies: of a boxed type, if the case has fields.
        allocation: Option<AllocationId>,
    },
    /// The tag of a value of a declared type, as `int`.
    Tag(Atom),
    /// A field of a value that is known to be of a case.
    Field {
        /// The value.
        value: Atom,
        /// The tag.
        case: usize,
        /// The position.
        field: usize,
    },
    /// Overwrites a mutable field of a value of a boxed type that is known to be of a case. Gives unit.
    WriteField {
        /// The value.
        value: Atom,
        /// The tag.
        case: usize,
        /// The position.
        field: usize,
        /// What is put there.
        content: Atom,
    },
    /// A fresh `let mutable` slot in the function's frame; the local's type is [`clef_types::TypeKind::Slot`].
    Slot(Atom),
    /// The content of a slot.
    ReadSlot(Atom),
    /// Overwrites a slot: slot, value. Gives unit.
    WriteSlot(Atom, Atom),
    /// A fresh ref cell.
    MakeReference {
        /// Its first content.
        value: Atom,
        /// Where it lies.
        allocation: AllocationId,
    },
    /// The content of a ref cell.
    ReadReference(Atom),
    /// Overwrites a ref cell: cell, value. Gives unit.
    WriteReference(Atom, Atom),
    /// The value of a module-level binding.
    ReadGlobal(GlobalId),
    /// Overwrites it. Gives unit.
    WriteGlobal(GlobalId, Atom),
    /// Begins a region, which holds nothing yet; the local is its handle.
    EnterRegion,
    /// Ends the region of a handle: all that it holds is free. Gives unit.
    LeaveRegion(Atom),
    /// Copies what is still reachable out of regions, so that the rest is free; see [`Evacuation`]. Gives a tuple of the
    /// roots as they are afterwards.
    Evacuate {
        /// The regions. Where they are emptied for good, all have a target; where they go on, none has, and it is left to
        /// run time whether it is worth doing.
        moves: Vec<Move>,
        /// What all later uses of the content of the regions begin from.
        roots: Vec<Atom>,
        /// Module-level values that are roots too; they are overwritten with what they are afterwards.
        globals: Vec<GlobalId>,
        /// Whether what lies elsewhere is followed although it cannot be overwritten: closures that were made before may
        /// have made something there that points into the regions.
        everywhere: bool,
        /// Whether no interrupt may come meanwhile, because a handler uses something that may be moved.
        masked: bool,
    },
    /// A nested block with its own control flow; its value is what its end yields. It holds no tail call and no
    /// [`End::Continue`].
    Scope(Box<Block>),
    /// Evaluates the condition, and the body as long as it is true. Gives unit; both blocks are as in `Scope`.
    While {
        /// Yields a truth value.
        condition: Box<Block>,
        /// Yields unit.
        body: Box<Block>,
    },
}

/// A region that is evacuated.
#[derive(Clone, PartialEq, Debug)]
pub struct Move {
    /// Its handle.
    pub from: Atom,
    /// The handle of the region that takes what is reachable; none if it stays in the region.
    pub to: Option<Atom>,
}

/// A closure to be made.
#[derive(Clone, Debug)]
pub struct MakeClosure {
    /// Its code: of [`Convention::Closure`].
    pub function: FunctionId,
    /// What it captures, in the order of the function's captures; a slot is captured by its address, and of a cell that
    /// the closure owns its first content is given.
    pub captures: Vec<Atom>,
    /// Where it lies.
    pub allocation: AllocationId,
}

/// A call with exactly the callee's parameters.
#[derive(Clone, Debug)]
pub struct Call {
    /// What is called.
    pub callee: Callee,
    /// Its arguments; for a known function its lifted captures come first.
    pub arguments: Vec<Atom>,
    /// The handles that the callee wants, one for each of [`Function::regions`]; none before `region`.
    pub regions: Vec<Atom>,
}

/// What is called.
#[derive(Clone, Debug)]
pub enum Callee {
    /// A function of [`Convention::Known`].
    Known(FunctionId),
    /// A closure whose code is this function, which takes the closure's address.
    Direct(FunctionId, Atom),
    /// A closure whose code is loaded from it; its arity is that of the call.
    Closure(Atom),
}

/// How a block ends.
#[derive(Clone, Debug)]
pub enum End {
    /// The value of the block: returned from a function's body, given to the statement of a scope.
    Yield(Atom),
    /// A call whose result is the function's; only where the block's value is the function's.
    TailCall {
        /// The call.
        call: Call,
        /// Whether it must take constant stack: it lies on a cycle of tail calls. Others may become plain calls.
        required: bool,
        /// Where it comes from.
        span: Span,
    },
    /// A tail call of the function itself: its parameters are bound anew, one operand for each of [`Function::params`]
    /// (the lifted ones as they are), and its body starts again (the same closure, the same captures).
    Continue(Vec<Atom>),
    /// A conditional.
    If {
        /// A truth value.
        condition: Atom,
        /// If true.
        then: Box<Block>,
        /// If false.
        otherwise: Box<Block>,
    },
    /// A choice by an integer, character or tag.
    Switch {
        /// What is looked at.
        scrutinee: Atom,
        /// Distinct values.
        cases: Vec<(i128, Block)>,
        /// For all others; `None` when the cases are all there are.
        default: Option<Box<Block>>,
    },
    /// A block that several places of another continue with.
    Join {
        /// What is continued with.
        join: Join,
        /// Where its [`End::Jump`]s are; jumps may stand in nested blocks of ends, not in scopes.
        scope: Box<Block>,
    },
    /// Continues with a join.
    Jump(JoinId, Vec<Atom>),
    /// The program stops here with a report.
    Trap(Trap, Span),
}

/// What several places continue with.
#[derive(Clone, Debug)]
pub struct Join {
    /// Its name.
    pub id: JoinId,
    /// Bound by each jump.
    pub params: Vec<LocalId>,
    /// What then happens; it may jump to outer joins, not to itself.
    pub body: Box<Block>,
}

/// Why a program stops.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Trap {
    /// An integer division by zero.
    DivisionByZero,
    /// An index out of range.
    IndexOutOfRange,
    /// No arm of a match matched.
    NoMatch,
    /// The result of checked arithmetic does not fit.
    Overflow,
}

/// Something that needs memory.
#[derive(Clone, Debug)]
pub struct Allocation {
    /// What it is.
    pub kind: AllocationKind,
    /// The function that allocates it.
    pub function: FunctionId,
    /// Where it lies, and why; `None` before `place`.
    pub decision: Option<Decision>,
    /// Where it is made.
    pub span: Span,
}

/// What is allocated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AllocationKind {
    /// A closure of this function.
    Closure(FunctionId),
    /// A ref cell with content of this type.
    Reference(Type),
    /// The text of a string made at run time.
    String,
    /// The node of a case of a boxed type: the type and the tag.
    Node(Type, usize),
    /// The elements of an array of this type.
    Array(Type),
    /// Memory for values of plain data, each of so many bytes.
    Memory {
        /// Bytes of one.
        size: u64,
        /// What its address is a multiple of.
        align: u64,
    },
}

/// A storage with its reason.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Decision {
    /// Where it lies.
    pub storage: Storage,
    /// Why, in a few words: `returned at 12:5`.
    pub reason: Reason,
}

/// Where an allocation lies.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Storage {
    /// In flash or static RAM.
    Static,
    /// In the frame of the function.
    Stack,
    /// In a region.
    Region(Region),
}

/// A region.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Region {
    /// The one that lives as long as the program.
    Program,
    /// That of a handle, a local of the function that allocates.
    Local(LocalId),
}

/// Why an allocation lies where it does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reason {
    /// It holds nothing that differs between its uses.
    Constant,
    /// No use outlives the frame.
    DoesNotEscape,
    /// It is the result of its function.
    Returned(Span),
    /// It is put into a ref cell, a mutable variable or a module-level value.
    Stored(Span),
    /// It is captured by a closure that is not on the stack.
    Captured(Span),
    /// It is an argument of a function that may keep it.
    Passed(Span),
    /// It is an argument of a tail call, whose callee runs after the frame is gone.
    TailCall(Span),
    /// It is part of a tuple or case that outlives the frame.
    Part(Span),
    /// Its size is only known at run time.
    UnboundedSize,
    /// It is made in a loop, and an earlier one may still be in use.
    Loop(Span),
    /// It outlives the frame, but it is made at most once per program.
    OncePerProgram,
    /// It is a buffer or an array, and the frame holds as many as one may, or none so large.
    FrameLimit,
    /// It is too large for a frame.
    TooLarge,
}
