//! Where a node could be made in the memory of another one.
//!
//! In: a function. Out: for each value that could be made so, the node that would be reused: one of the same case whose
//! fields were read before on every path, and that is not used afterwards; its parts may be. Of several such nodes, it is the
//! one with the most fields that stay as they are. Whether it is the only reference is decided by [`super::ownership`].

use super::{held::constant, place::Places};
use clef_base::HashMap;
use clef_core::{Atom, Block, End, Function, JoinId, LocalId, Program, Rhs, StatementKind};
use clef_types::{Type, TypeKind};
use std::collections::BTreeMap;

/// For each value that could be made in another node, that node.
pub(super) type Sites = BTreeMap<LocalId, LocalId>;

/// The most nodes that are considered for a value, the last ones first.
const CONSIDERED: usize = 8;

/// The most later uses of a node, and earlier values in its memory, that are compared with a value.
const COMPARED: usize = 128;

/// The possible sites of a function.
pub(super) fn find(program: &Program, function: &Function) -> Sites {
    let mut search = Search {
        program,
        function,
        places: Places::of(program, function),
        blocks: Vec::new(),
        uses: HashMap::default(),
        known: Vec::new(),
        made: Vec::new(),
        position: 0,
    };
    search.block(&function.body, 0, Role::Nested);
    search.choose()
}

/// A point of the code.
#[derive(Clone, Copy, Debug)]
struct Point {
    block: usize,
    /// Later points have larger numbers.
    position: usize,
}

/// A block within others.
struct Nested {
    /// The block around it.
    parent: usize,
    /// How many blocks are around it.
    depth: usize,
    role: Role,
    /// The blocks of its end.
    ends: Vec<usize>,
    /// The join that it continues with.
    jump: Option<JoinId>,
}

/// Why a block is within another one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// A statement executes it, and the statement's block continues.
    Nested,
    /// An end at this position executes one of several blocks.
    Choice(usize),
    /// It may jump to this join.
    Scope(JoinId),
    /// It is the continuation of a join.
    Join(JoinId),
}

/// A node that is made, or one of which a field is read.
struct Node<'a> {
    local: LocalId,
    ty: Type,
    case: usize,
    /// The fields of one that is made.
    fields: &'a [Atom],
    at: Point,
}

struct Search<'a> {
    program: &'a Program,
    function: &'a Function,
    places: Places,
    blocks: Vec<Nested>,
    /// Where a local that may lead to nodes is used.
    uses: HashMap<LocalId, Vec<Point>>,
    /// Nodes whose case is known.
    known: Vec<Node<'a>>,
    made: Vec<Node<'a>>,
    position: usize,
}

impl<'a> Search<'a> {
    fn block(&mut self, block: &'a Block, parent: usize, role: Role) {
        let own = self.blocks.len();
        let depth = self.blocks.get(parent).map_or(0, |parent| parent.depth + 1);
        self.blocks.push(Nested { parent, depth, role, ends: Vec::new(), jump: None });
        for statement in &block.statements {
            let at = self.next(own);
            statement.atoms(&mut |atom| self.use_(atom, at));
            if let StatementKind::Let(local, rhs) = &statement.kind {
                self.node(*local, rhs, at);
                rhs.blocks().into_iter().for_each(|inner| self.block(inner, own, Role::Nested));
            }
        }
        let at = self.next(own);
        block.end.atoms(&mut |atom| self.use_(atom, at));
        match &block.end {
            End::Join { join, scope } => {
                self.end(scope, own, Role::Scope(join.id));
                self.end(&join.body, own, Role::Join(join.id));
            }
            End::Jump(join, _) => self.blocks[own].jump = Some(*join),
            End::Yield(_)
            | End::TailCall { .. }
            | End::Continue(_)
            | End::If { .. }
            | End::Switch { .. }
            | End::Trap(..) => {
                block.end.blocks().into_iter().for_each(|inner| self.end(inner, own, Role::Choice(at.position)));
            }
        }
    }

    fn end(&mut self, block: &'a Block, parent: usize, role: Role) {
        let next = self.blocks.len();
        self.blocks[parent].ends.push(next);
        self.block(block, parent, role);
    }

    fn next(&mut self, block: usize) -> Point {
        self.position += 1;
        Point { block, position: self.position }
    }

    fn use_(&mut self, atom: &Atom, at: Point) {
        let Some(local) = atom.local() else { return };
        if !leads_to_nodes(self.program, self.function.locals[local].ty) {
            return;
        }
        self.uses.entry(local).or_default().push(at);
        let mut copy = local;
        while let Some(of) = self.places.copied(copy) {
            self.uses.entry(of).or_default().push(at);
            copy = of;
        }
    }

    fn node(&mut self, local: LocalId, rhs: &'a Rhs, at: Point) {
        if let Rhs::Inject { ty, case, fields, allocation: Some(_), .. } = rhs {
            self.made.push(Node { local, ty: *ty, case: *case, fields, at });
        } else if let Rhs::Field { value: Atom::Local(node), case, .. } = rhs {
            let ty = self.function.locals[*node].ty;
            if constant(self.program, ty).is_some_and(|declared| declared.boxed) {
                self.known.push(Node { local: *node, ty, case: *case, fields: &[], at });
            }
        }
    }

    /// Chooses the node for each value.
    fn choose(&self) -> Sites {
        let mut by_case: HashMap<(Type, usize), Vec<&Node>> = HashMap::default();
        let (mut known, mut sites) = (self.known.iter().peekable(), Sites::new());
        let mut taken: HashMap<LocalId, Vec<Point>> = HashMap::default();
        // The block where the case of a node became known.
        let mut first: HashMap<(LocalId, usize), usize> = HashMap::default();
        for made in &self.made {
            while let Some(node) = known.next_if(|node| node.at.position < made.at.position) {
                let before = first.insert((node.local, node.case), node.at.block);
                if before.is_none_or(|before| !self.is_around(before, node.at.block)) {
                    by_case.entry((node.ty, node.case)).or_default().push(node);
                }
            }
            let nodes = by_case.get_mut(&(made.ty, made.case));
            let Some(nodes) = nodes else { continue };
            // A block that has ended is not entered again before another block around it is.
            while nodes.last().is_some_and(|node| !self.is_around(node.at.block, made.at.block)) {
                nodes.pop();
            }
            let free = |node: &&&Node<'_>| {
                self.is_around(node.at.block, made.at.block)
                    && !self.is_used_after(node.local, made.at)
                    && self.is_none_before(taken.get(&node.local).map_or(&[], Vec::as_slice), made.at)
                    && !made.fields.iter().any(|field| self.places.is_within(node.local, field))
            };
            let stay = |node: &&&Node<'_>| {
                let fields = made.fields.iter().enumerate();
                fields.filter(|(at, field)| self.places.is_field(field, node.local, made.case, *at)).count()
            };
            if let Some(node) = nodes.iter().rev().take(CONSIDERED).filter(free).rev().max_by_key(stay) {
                taken.entry(node.local).or_default().push(made.at);
                sites.insert(made.local, node.local);
            }
        }
        sites
    }

    fn is_used_after(&self, local: LocalId, at: Point) -> bool {
        let uses = self.uses.get(&local).map_or(&[][..], Vec::as_slice);
        let first = uses.partition_point(|point| point.position <= at.position);
        uses.len() - first > COMPARED || uses[first..].iter().any(|point| self.is_after(at, *point))
    }

    fn is_none_before(&self, points: &[Point], at: Point) -> bool {
        points.len() <= COMPARED && !points.iter().any(|point| self.is_after(*point, at))
    }

    /// Whether a block is another one, or around it.
    fn is_around(&self, outer: usize, mut inner: usize) -> bool {
        while self.blocks[inner].depth > self.blocks[outer].depth {
            inner = self.blocks[inner].parent;
        }
        inner == outer
    }

    /// Whether a point may be reached after one before it: unless an end chooses between them, or one is after a join to
    /// which the other does not jump.
    fn is_after(&self, before: Point, after: Point) -> bool {
        let (mut first, mut second) = (before.block, after.block);
        let (mut roles, blocks) = ((Role::Nested, Role::Nested), &self.blocks);
        // The block that continues after the earlier point.
        let mut continues = first;
        while first != second {
            if blocks[first].depth >= blocks[second].depth {
                roles.0 = blocks[first].role;
                first = blocks[first].parent;
                if roles.0 == Role::Nested {
                    continues = first;
                }
            } else {
                roles.1 = blocks[second].role;
                second = blocks[second].parent;
            }
        }
        match roles {
            (Role::Choice(one), Role::Choice(other)) => one != other,
            (Role::Scope(join), Role::Join(_)) => self.jumps(continues, join),
            _ => true,
        }
    }

    /// Whether a block may end with a jump to a join.
    fn jumps(&self, block: usize, join: JoinId) -> bool {
        let Nested { ends, jump, .. } = &self.blocks[block];
        *jump == Some(join) || ends.iter().any(|end| self.jumps(*end, join))
    }
}

/// Whether a value may lead to nodes that could be reused.
fn leads_to_nodes(program: &Program, ty: Type) -> bool {
    match program.types.kind(ty) {
        TypeKind::Tuple(_) | TypeKind::Declared(..) | TypeKind::Slot(_) => true,
        TypeKind::Unit
        | TypeKind::Bool
        | TypeKind::Char
        | TypeKind::String
        | TypeKind::Integer(_)
        | TypeKind::Enum(..)
        | TypeKind::Float32
        | TypeKind::Float64
        | TypeKind::Function(..)
        | TypeKind::Reference(_)
        | TypeKind::Array(_)
        | TypeKind::NativePointer(_)
        | TypeKind::Parameter(_)
        | TypeKind::Region => false,
    }
}
