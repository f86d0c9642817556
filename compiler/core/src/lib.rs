//! Core: the monomorphic program in A-normal form, on which closures are classified and storage is decided.
//!
//! `lower` produces it, `simplify` rewrites it, `place` assigns its storage, and code generation reads it and decides
//! nothing. Invariants, checked by [`verify`]: operands are [`Atom`]s; each local is bound exactly once and before its
//! uses; no type has a parameter; a call has exactly as many arguments as its callee has parameters. Calls of functions
//! whose arity is not known go through synthesised `apply` functions that read the arity ([`Rhs::Arity`]) and switch on
//! it; partial applications are closures of synthesised functions.

mod action;
pub mod callees;
mod capture_parts;
pub mod constants;
pub mod dead_functions;
mod evacuation;
mod function;
mod operands;
mod parts;
mod place;
pub mod print;
mod reason;
pub mod references;
mod run_once;
pub mod type_name;
pub mod verify;
mod visit;
mod walk;

pub use action::{Action, Memory};
pub use capture_parts::capture_parts;
pub use evacuation::Evacuation;
pub use operands::{ConstantTypes, Holders};
pub use parts::{Part, PartMut};
pub use place::{Inlined, InlinedId, Moved, Place};
pub use run_once::functions_that_run_once;

use clef_base::{Extent, HashMap, Span, Symbol};
use clef_types::{Intrinsic, Primitive, Type, Types};
use la_arena::{Arena, Idx};
use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};

/// Identifies a [`Function`].
pub type FunctionId = Idx<Function>;
/// Identifies a [`Global`].
pub type GlobalId = Idx<Global>;
/// Identifies a [`Local`] of one function.
pub type LocalId = Idx<Local>;
/// Identifies an [`Allocation`].
pub type AllocationId = Idx<Allocation>;
/// Identifies a [`Join`] of one function; assigned by [`Function::joins`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct JoinId(pub u32);

/// A whole program.
#[derive(Clone, Debug)]
pub struct Program {
    /// The table of types.
    pub types: Types,
    /// The cases of each instance of a declared type that is used, in the order of tags.
    pub declared: HashMap<Type, Declared>,
    /// All functions.
    pub functions: Arena<Function>,
    /// Module-level values that are stored: neither functions that are called directly nor constants.
    pub globals: Arena<Global>,
    /// Every allocation, with its storage once `place` has run.
    pub allocations: Arena<Allocation>,
    /// Runs the initialisers in order and the entry point; no parameters; its result of type `int` is the exit status.
    pub start: FunctionId,
    /// Functions whose arity must precede their code, because [`Rhs::Arity`] may read it.
    pub arity_tagged: BTreeSet<FunctionId>,
    /// The function types of values that can be overwritten, except those whose values are all constant.
    pub stored: Vec<StoredFunctions>,
    /// What interrupt handlers share with the rest of the program.
    pub shared: Shared,
    /// Whether other languages start it and call its exported functions: it is a library.
    pub is_library: bool,
    /// What is known if regions nest: something is allocated only in the newest region that has not ended. Assigned by
    /// `region`.
    pub nesting: Option<Nesting>,
}

/// What is known of a program whose regions nest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Nesting {
    /// Whether nothing is allocated and no region begins while a text grows, so that its bytes follow one another.
    pub texts_are_alone: bool,
}

/// Memory that may change, or be read, between any two instructions of the program.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Shared {
    /// Module-level values.
    pub globals: BTreeSet<GlobalId>,
    /// The content of ref cells and arrays of these types, and the mutable fields of values of these types.
    pub contents: BTreeSet<Type>,
    /// Module-level values that handlers may read before their initialisers have run, when their bytes are zero, which is no
    /// value of their types; constants among them have been initialised.
    pub late: BTreeSet<GlobalId>,
}

/// How the function values of a type are stored where they can be overwritten.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoredFunctions {
    /// The function type.
    pub ty: Type,
    /// By value: the union of the lambdas that they may be, and the places of these, in the order of its cases. By
    /// address: the reason.
    pub kept: Result<(Type, Vec<Span>), AddressReason>,
}

/// Why addresses of closures are stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AddressReason {
    /// The origin of a closure stored here is unknown.
    Unknown(Span),
    /// The number of lambdas that may be stored, which exceeds the limit.
    Many(usize),
    /// A lambda captures a value that holds such a closure.
    Endless,
    /// A lambda captures more values than the limit for nodes.
    Large,
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
    /// The names of its fields, where the source gives them.
    pub names: Vec<Option<Symbol>>,
    /// The positions of the fields that [`Rhs::WriteField`] may overwrite.
    pub mutable: Vec<usize>,
}

/// A function.
#[derive(Clone, Debug)]
pub struct Function {
    /// A name that is unique in the program and says where it comes from: `makeAdder`, `makeAdder.fun`, `id<int>`,
    /// `apply<int -> int -> int,2>`.
    pub name: Symbol,
    /// The name of the function that it was made as a variant of, which debuggers show; otherwise its own.
    pub origin: Symbol,
    /// How it is called.
    pub convention: Convention,
    /// The explicit parameters; for a known function its captures come first.
    pub params: Vec<LocalId>,
    /// The number of leading `params` that are captures (zero for closures).
    pub leading_captures: usize,
    /// The type of what it returns.
    pub result: Type,
    /// The handles of the regions in which it allocates for its callers; assigned by `region`.
    pub regions: Vec<LocalId>,
    /// Every local: parameters, captures, and what statements and joins bind.
    pub locals: Arena<Local>,
    /// The number of joins; the next free [`JoinId`].
    pub joins: u32,
    /// The calls that were replaced by the bodies of their callees, as far as code of them is left.
    pub inlined: Arena<Inlined>,
    /// The locals of the source that were replaced by operands, for debuggers: at most [`Copied::MOST`].
    pub copied: Vec<Copied>,
    /// For the handle of a region that ends or is evacuated here, the locals of the source that may point into it, for debuggers;
    /// assigned by `region`.
    pub held: HashMap<LocalId, Vec<LocalId>>,
    /// What it does.
    pub body: Block,
    /// `inline`, `[<NoInline>]`.
    pub inlining: Inlining,
    /// Where its code is placed.
    pub placement: Placement,
    /// Where it comes from.
    pub span: Span,
}

/// A local that nothing binds any more, since its uses were replaced by what it was a copy of. Code does not depend on
/// it: the operand may be a local that nothing binds either.
#[derive(Clone, Debug)]
pub struct Copied {
    /// The local.
    pub local: LocalId,
    /// What it was a copy of.
    pub operand: Atom,
    /// Where it was bound.
    pub place: Place,
}

impl Copied {
    /// The most that a function has: a chain of functions that call each other twice, and of which nothing is left, would have as many as
    /// they have calls.
    pub const MOST: usize = 256;
}

/// How a function is called.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Convention {
    /// Directly, with its captures as leading parameters. It is never a value.
    Known,
    /// With the closure's address before the explicit parameters.
    Closure {
        /// The locals of the captures, in the order of the struct's fields: loaded from the struct at entry (slots are
        /// immutable, so where they are loaded does not matter).
        captures: Vec<LocalId>,
        /// The captures that are cells within the struct: the local is the address of the field, and a closure is
        /// created with the cell's initial content. Only `place` creates them.
        owned: Vec<LocalId>,
        /// The local that holds the closure itself, if the body uses it (recursion).
        itself: Option<LocalId>,
    },
    /// From other languages, by the C calling convention of the target and this symbol. It is never called from Clef,
    /// and its signature does not change.
    Exported(Symbol),
}

/// Where the source places something in the image.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Placement {
    /// `[<Section("name")>]`.
    pub section: Option<Symbol>,
    /// `[<Align(bytes)>]`: at least this.
    pub align: Option<u32>,
}

/// The inlining attributes of the source.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Inlining {
    /// Nothing.
    #[default]
    Free,
    /// `inline`.
    Always,
    /// `[<TrapAtCall>]`: the body replaces each call, at every level, and its traps report the place of the call.
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
    /// Where it is placed. What the source places is the memory that it is the address of, for arrays and the like: see [`Allocation`].
    pub placement: Placement,
    /// Where it is bound.
    pub span: Span,
}

/// Statements, then how the block ends.
#[derive(Clone, Hash, Debug)]
pub struct Block {
    /// The statements, in order.
    pub statements: Vec<Statement>,
    /// How the block ends.
    pub end: End,
}

/// Binds locals.
#[derive(Clone, Hash, Debug)]
pub struct Statement {
    /// What is done.
    pub kind: StatementKind,
    /// Where it comes from.
    pub place: Place,
}

/// The kinds of statements.
#[derive(Clone, Hash, Debug)]
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
    /// A boolean.
    Bool(bool),
    /// An integer of a type, in its range.
    Integer(i128, Type),
    /// A float of a type; `float32` is stored rounded.
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

impl Hash for Atom {
    fn hash<H: Hasher>(&self, state: &mut H) {
        std::mem::discriminant(self).hash(state);
        match self {
            Atom::Local(local) => local.hash(state),
            Atom::Unit | Atom::ProgramRegion => {}
            Atom::Bool(value) => value.hash(state),
            Atom::Integer(value, ty) => (value, ty).hash(state),
            Atom::Float(value, ty) => (value.to_bits(), ty).hash(state),
            Atom::Char(value) => value.hash(state),
            Atom::String(text) => text.hash(state),
            Atom::Function(function, ty) => (function, ty).hash(state),
        }
    }
}

/// What a statement computes.
#[derive(Clone, Hash, Debug)]
pub enum Rhs {
    /// A copy.
    Atom(Atom),
    /// An operation on primitive values; compound equality and comparison, division by zero and strings are lowered, so
    /// that the remaining operations cannot trap. The operand types decide its meaning.
    Primitive(Primitive, Vec<Atom>),
    /// An operation of the library. `Fail` and `Assert` trap at the statement's place.
    Intrinsic {
        /// Which.
        intrinsic: Intrinsic,
        /// Its arguments.
        arguments: Vec<Atom>,
        /// The allocation of a string that it creates.
        allocation: Option<AllocationId>,
    },
    /// Joins strings.
    Concatenate {
        /// At least two.
        parts: Vec<Atom>,
        /// The allocation of the result.
        allocation: AllocationId,
    },
    /// A call.
    Call(Call),
    /// A call of a function of another language by the C calling convention of the target.
    Foreign {
        /// The name that the linker resolves.
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
        /// Its allocation.
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
        /// The allocation of its node: for a boxed type, if the case has fields.
        allocation: Option<AllocationId>,
        /// The node that it may be made in, if that is in the region of the allocation.
        reuse: Option<Reuse>,
    },
    /// The tag of a value of a declared type, as `int`.
    Tag(Atom),
    /// A field of a value whose case is known.
    Field {
        /// The value.
        value: Atom,
        /// The tag.
        case: usize,
        /// The position.
        field: usize,
    },
    /// Overwrites a mutable field of a value of a boxed type whose case is known. Yields unit.
    WriteField {
        /// The value.
        value: Atom,
        /// The tag.
        case: usize,
        /// The position.
        field: usize,
        /// The new content.
        content: Atom,
    },
    /// A fresh `let mutable` slot in the function's frame; the local's type is [`clef_types::TypeKind::Slot`].
    Slot(Atom),
    /// The content of a slot.
    ReadSlot(Atom),
    /// Overwrites a slot: slot, value. Yields unit.
    WriteSlot(Atom, Atom),
    /// A fresh ref cell.
    MakeReference {
        /// Its initial content.
        value: Atom,
        /// Its allocation.
        allocation: AllocationId,
    },
    /// The content of a ref cell.
    ReadReference(Atom),
    /// Overwrites a ref cell: cell, value. Yields unit.
    WriteReference(Atom, Atom),
    /// The value of a module-level binding.
    ReadGlobal(GlobalId),
    /// Overwrites it. Yields unit.
    WriteGlobal(GlobalId, Atom),
    /// Begins a region, which is empty; the local is its handle.
    EnterRegion,
    /// Ends the region of a handle, which frees its content. Yields unit.
    LeaveRegion(Atom),
    /// In the code of a closure: frees the closure, which is the newest in the region of the handle and not used any more. Its
    /// captures have been read. Yields unit.
    PopClosure(Atom),
    /// Copies everything reachable out of regions, so that the rest is freed; see [`Evacuation`]. Yields a tuple of the
    /// roots after the copy.
    Evacuate {
        /// The regions. If they end here, all have a target; if they continue, none has, and the runtime decides
        /// whether the evacuation is worthwhile.
        moves: Vec<Move>,
        /// The values from which all later uses of the content of the regions start.
        roots: Vec<Atom>,
        /// Module-level values that are roots too; they are overwritten with their values after the copy.
        globals: Vec<GlobalId>,
        /// Whether objects elsewhere are followed although they cannot be overwritten: closures created earlier may
        /// have allocated something there that points into the regions.
        everywhere: bool,
        /// Whether interrupts are masked meanwhile, because a handler uses something that may be moved.
        masked: bool,
    },
    /// A nested block with its own control flow; its value is what its end yields. It contains no tail call and no
    /// [`End::Continue`].
    Scope(Box<Block>),
    /// Evaluates the condition, and the body as long as it is true. Yields unit; both blocks are as in `Scope`.
    While {
        /// Yields a boolean.
        condition: Box<Block>,
        /// Yields unit.
        body: Box<Block>,
    },
}

/// A region that is evacuated.
#[derive(Clone, PartialEq, Hash, Debug)]
pub struct Move {
    /// Its handle.
    pub from: Atom,
    /// The handle of the region that takes what is reachable; `None` if it stays in the region.
    pub to: Option<Atom>,
}

/// A node whose memory another one may take: one of the same case, to which nothing else refers and which is not used
/// afterwards.
#[derive(Clone, Hash, Debug)]
pub struct Reuse {
    /// The node.
    pub node: Atom,
    /// For each field, whether the other node has the same one.
    pub stays: Vec<bool>,
    /// Whether it is known to be in the region of the allocation; otherwise this is tested when the program runs.
    pub is_certain: bool,
}

/// The creation of a closure.
#[derive(Clone, Hash, Debug)]
pub struct MakeClosure {
    /// Its code: of [`Convention::Closure`].
    pub function: FunctionId,
    /// What it captures, in the order of the function's captures: for a slot its address, for a cell that the closure
    /// owns its initial content.
    pub captures: Vec<Atom>,
    /// Its allocation.
    pub allocation: AllocationId,
}

/// A call with exactly the callee's parameters.
#[derive(Clone, Hash, Debug)]
pub struct Call {
    /// What is called.
    pub callee: Callee,
    /// Its arguments; for a known function its captures come first.
    pub arguments: Vec<Atom>,
    /// The handles for the callee, one for each of [`Function::regions`]; empty before `region`.
    pub regions: Vec<Atom>,
}

/// What is called.
#[derive(Clone, Hash, Debug)]
pub enum Callee {
    /// A function of [`Convention::Known`].
    Known(FunctionId),
    /// A closure whose code is this function, which takes the closure's address.
    Direct(FunctionId, Atom),
    /// A closure whose code is loaded from it; its arity is that of the call.
    Closure(Atom),
}

/// How a block ends.
#[derive(Clone, Hash, Debug)]
pub enum End {
    /// The value of the block: returned from a function's body, or the result of a scope's statement.
    Yield(Atom),
    /// A call whose result is the function's; only where the block's value is the function's.
    TailCall {
        /// The call.
        call: Call,
        /// Whether it must take constant stack: it lies on a cycle of tail calls. Others may become plain calls.
        required: bool,
        /// Where it comes from.
        place: Place,
    },
    /// A tail call of the function itself: its parameters are bound to new values, one operand for each of
    /// [`Function::params`] (captures unchanged), and its body starts again (the same closure, the same captures).
    Continue(Vec<Atom>),
    /// A conditional.
    If {
        /// A boolean.
        condition: Atom,
        /// If true.
        then: Box<Block>,
        /// If false.
        otherwise: Box<Block>,
    },
    /// A choice by an integer, character or tag.
    Switch {
        /// The value that is tested.
        scrutinee: Atom,
        /// Distinct values with their blocks.
        cases: Vec<(i128, Block)>,
        /// For all other values; `None` when the cases are exhaustive.
        default: Option<Box<Block>>,
    },
    /// A block that several places in another block continue with.
    Join {
        /// The continuation.
        join: Join,
        /// The block with its [`End::Jump`]s; jumps may be in nested blocks of ends, not in scopes.
        scope: Box<Block>,
    },
    /// Continues with a join.
    Jump(JoinId, Vec<Atom>),
    /// The program stops here with a report.
    Trap(Trap, Place),
}

/// A block that several places continue with.
#[derive(Clone, Hash, Debug)]
pub struct Join {
    /// Its identity.
    pub id: JoinId,
    /// Bound by each jump.
    pub params: Vec<LocalId>,
    /// The continuation; it may jump to outer joins, not to itself.
    pub body: Box<Block>,
}

/// The reason for a trap.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
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

/// An object that needs memory.
#[derive(Clone, Debug)]
pub struct Allocation {
    /// What it is.
    pub kind: AllocationKind,
    /// The function that allocates it.
    pub function: FunctionId,
    /// Its storage and the reason; `None` before `place`.
    pub decision: Option<Decision>,
    /// Where the source places it; assigned by `placement`.
    pub placement: Placement,
    /// Where the source creates it.
    pub span: Span,
}

impl Allocation {
    /// One of a function, made at a place in the source, whose storage is not decided.
    pub fn new(kind: AllocationKind, function: FunctionId, span: Span) -> Allocation {
        Allocation { kind, function, decision: None, placement: Placement::default(), span }
    }
}

/// What is allocated.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum AllocationKind {
    /// A closure of this function.
    Closure(FunctionId),
    /// A ref cell with content of this type.
    Reference(Type),
    /// The bytes of a string created at run time.
    String,
    /// The node of a case of a boxed type: the type and the tag.
    Node(Type, usize),
    /// The elements of an array of this type.
    Array(Type),
    /// Memory for values of plain data, each of this size and alignment.
    Memory(Extent),
}

/// A storage with its reason.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Decision {
    /// Where it lies.
    pub storage: Storage,
    /// The reason, in a few words: `returned at 12:5`.
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
    /// The region of a handle, a local of the function that allocates.
    Local(LocalId),
}

/// Why an allocation has its storage.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reason {
    /// It is known when the program is compiled, the same at each use, and never written.
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
    /// A node whose memory may be used for another one.
    Reused(Span),
    /// It is an argument of a tail call, whose callee runs after the frame is gone.
    TailCall(Span),
    /// It is part of a tuple or case that outlives the frame.
    Part(Span),
    /// Its size is only known at run time.
    UnboundedSize,
    /// It is created in a loop, and an earlier one may still be in use.
    Loop(Span),
    /// It outlives the frame, but it is created at most once per program.
    OncePerProgram,
    /// It is a buffer or an array, and the frame already contains the maximum number, or the array is too large.
    FrameLimit,
    /// It is too large for a frame.
    TooLarge,
}
