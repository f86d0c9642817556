//! The tables that tell the runtime where pointers are.
//!
//! In: the types of roots, and layouts. Out: constants in flash, in the format `Entry`, `Case` and `Lambda` of the
//! runtime's `region::evacuate`: for each type reachable from roots, where its pointers are and what they point to.
//! Holds: each table is made once, and a function whose closures are described by one keeps all its captures where the
//! table says.

use crate::{
    evacuate::Roots,
    layout::{BoxedTag, Repr, flatten},
    module::Shared,
    symbol::Generated,
};
use clef_base::{Bytes, Extent, HashSet};
use clef_core::{Evacuation, FunctionId, Program, Rhs, StatementKind};
use clef_mlir::{Constant, Global, Type as MlirType};
use clef_types::{Type, TypeKind};
use std::cell::{Cell, RefCell};

/// The runtime's `Kind`.
#[derive(Clone, Copy)]
enum Kind {
    End = 0,
    Text = 1,
    Array = 2,
    Cell = 3,
    Node = 4,
    TaggedNode = 5,
    Closure = 6,
    Handle = 7,
    Cases = 8,
}

/// The runtime's `Entry`; see there for what the members mean.
#[derive(Clone)]
struct Entry {
    kind: Kind,
    first: u64,
    second: u64,
    count: u64,
    extent: Extent,
    table: Option<String>,
}

impl Entry {
    fn new(kind: Kind, first: u64) -> Entry {
        Entry { kind, first, second: 0, count: 0, extent: Extent { size: Bytes(0), align: Bytes(0) }, table: None }
    }
}

/// What the tables of a program describe, and which of them have been made.
pub(crate) struct Tables<'p> {
    /// Which types have pointers, and what closures hold.
    evacuation: Evacuation<'p>,
    /// The functions whose closures are described by some table.
    lambdas: HashSet<FunctionId>,
    /// The symbols of the tables made so far.
    made: RefCell<HashSet<String>>,
    /// What these tables, and the evacuations so far, contain.
    parts: Cell<Parts>,
}

/// What evacuations may encounter: the runtime's `Parts`, of which it leaves out the rest.
#[derive(Clone, Copy)]
struct Parts {
    /// The bit with the number of each [`Kind`] in some table.
    kinds: u32,
    /// The size of the smallest node, closure or cell; zero if one has an alignment of 1.
    smallest: Bytes,
    /// The size of the largest of them.
    largest: Bytes,
    /// Whether something is evacuated in several regions at once.
    several: bool,
    /// Whether the content of a region goes to another one.
    targets: bool,
    /// Whether memory outside the regions is read.
    elsewhere: bool,
}

impl Parts {
    const NONE: Parts = Parts {
        kinds: 1 << Kind::End as u32,
        smallest: Bytes(u32::MAX as u64),
        largest: Bytes(0),
        several: false,
        targets: false,
        elsewhere: false,
    };
}

impl<'p> Tables<'p> {
    /// None made yet.
    pub(crate) fn new(program: &'p Program) -> Tables<'p> {
        let evacuation = Evacuation::new(program);
        let lambdas = evacuated_lambdas(program, &evacuation);
        Tables { evacuation, lambdas, made: RefCell::default(), parts: Cell::new(Parts::NONE) }
    }

    /// Whether values of a type may point into a region.
    pub(crate) fn has_pointers(&self, ty: Type) -> bool {
        self.evacuation.has_pointers(ty)
    }

    /// Whether the closures of a function are described by some table.
    pub(crate) fn describes(&self, function: FunctionId) -> bool {
        self.lambdas.contains(&function)
    }

    /// Records an evacuation: whether it is of one region, to other regions, and of what is outside of the regions.
    pub(crate) fn note_evacuation(&self, is_of_one: bool, targets: bool, elsewhere: bool) {
        let mut parts = self.parts.get();
        parts.several |= !is_of_one;
        parts.targets |= targets;
        parts.elsewhere |= elsewhere;
        self.parts.set(parts);
    }

    /// Records an entry in some table.
    fn note_entry(&self, entry: &Entry) {
        let mut parts = self.parts.get();
        parts.kinds |= 1 << entry.kind as u32;
        // What can be overwritten is read outside of the regions, too.
        parts.elsewhere |= match entry.kind {
            Kind::Node | Kind::TaggedNode | Kind::Closure => entry.second != 0,
            Kind::Array | Kind::Cell => entry.table.is_some(),
            Kind::End | Kind::Text | Kind::Handle | Kind::Cases => false,
        };
        self.parts.set(parts);
    }

    /// Records a node, a closure or a cell in a region.
    fn note_object(&self, extent: Extent) {
        let mut parts = self.parts.get();
        let markable = if extent.align > Bytes(1) { extent.size } else { Bytes(0) };
        if extent.size > Bytes(0) {
            parts.smallest = parts.smallest.min(markable);
            parts.largest = parts.largest.max(extent.size);
        }
        self.parts.set(parts);
    }

    /// Whether a table has not been made yet; each is made once.
    fn is_new(&self, symbol: &str) -> bool {
        self.made.borrow_mut().insert(symbol.to_string())
    }

    /// The symbol of a table that is used in one place.
    fn fresh(&self) -> String {
        let symbol = Generated::Table.symbol(self.made.borrow().len());
        self.is_new(&symbol);
        symbol
    }
}

/// The functions whose closures are described by some table.
fn evacuated_lambdas(program: &Program, evacuation: &Evacuation<'_>) -> HashSet<FunctionId> {
    let mut reachable = HashSet::default();
    for (_, function) in program.functions.iter() {
        function.body.each_statement(&mut |statement| {
            if let StatementKind::Let(local, Rhs::Evacuate { globals, .. }) = &statement.kind {
                evacuation.reachable(function.locals[*local].ty, &mut reachable);
                for global in globals {
                    evacuation.reachable(program.globals[*global].ty, &mut reachable);
                }
            }
        });
    }
    reachable.into_iter().flat_map(|ty| evacuation.lambdas(ty)).copied().collect()
}

/// The layout of roots in the memory that the runtime receives: the operands, then the addresses of module-level
/// values.
pub(super) struct RootLayout {
    pub(super) extent: Extent,
    pub(super) globals: Vec<Bytes>,
}

impl Shared<'_, '_> {
    pub(super) fn root_layout(&self, roots: &Roots<'_>) -> RootLayout {
        let word = Bytes(u64::from(self.layouts.word_bits() / 8));
        let operands = self.layouts.extent(&self.layouts.repr(roots.ty));
        let begin = operands.size.next_multiple_of(word);
        let place = |index: usize| begin + word.saturating_mul(index as u64);
        let size = place(roots.globals.len()).max(Bytes(1));
        let globals = (0..roots.globals.len()).map(place).collect();
        RootLayout { extent: Extent { size, align: operands.align.max(word) }, globals }
    }

    pub(super) fn root_entries(&self, roots: &Roots<'_>, layout: &RootLayout) -> String {
        if roots.globals.is_empty() {
            return self.content(roots.ty);
        }
        // If any module-level values are among the roots, all are.
        let symbol = Generated::Roots.symbol(roots.ty.number());
        if self.tables.is_new(&symbol) {
            let mut entries = Vec::new();
            self.value_at(roots.ty, Bytes(0), &mut entries);
            for (global, offset) in roots.globals.iter().zip(&layout.globals) {
                let ty = self.program.globals[*global].ty;
                entries.extend(self.holder(ty, Entry::new(Kind::Cell, offset.0)));
            }
            self.entries(&symbol, &entries);
        }
        symbol
    }
}

impl<'m> Shared<'_, 'm> {
    /// The symbol of the entries that describe memory which holds a value of a type.
    fn content(&self, ty: Type) -> String {
        let symbol = Generated::Content.symbol(ty.number());
        if self.tables.is_new(&symbol) {
            let mut entries = Vec::new();
            self.value_at(ty, Bytes(0), &mut entries);
            self.entries(&symbol, &entries);
        }
        symbol
    }

    /// The entries of a value at an offset.
    fn value_at(&self, ty: Type, offset: Bytes, entries: &mut Vec<Entry>) {
        let mut leaves = Vec::new();
        self.leaves(&self.layouts.repr(ty), offset, &mut leaves);
        self.value_in(ty, &leaves, entries);
    }

    /// The offset of each machine value of a representation.
    fn leaves(&self, repr: &Repr, offset: Bytes, leaves: &mut Vec<u64>) {
        let Repr::Struct(members) = repr else {
            if *repr != Repr::Unit {
                leaves.push(offset.0);
            }
            return;
        };
        let mut end = offset;
        for member in members {
            let extent = self.layouts.extent(member);
            end = end.next_multiple_of(extent.align);
            self.leaves(member, end, leaves);
            end += extent.size;
        }
    }

    /// The entries of a value whose machine values are at these offsets.
    fn value_in(&self, ty: Type, leaves: &[u64], entries: &mut Vec<Entry>) {
        if !self.tables.has_pointers(ty) {
            return;
        }
        match self.program.types.kind(ty) {
            TypeKind::String => entries.push(Entry { second: leaves[1], ..Entry::new(Kind::Text, leaves[0]) }),
            TypeKind::Array(of) => {
                let entry = Entry { second: leaves[1], ..Entry::new(Kind::Array, leaves[0]) };
                entries.extend(self.holder(*of, entry));
            }
            TypeKind::Reference(of) | TypeKind::Slot(of) => {
                let entry = self.holder(*of, Entry::new(Kind::Cell, leaves[0]));
                entry.iter().for_each(|entry| self.tables.note_object(entry.extent));
                entries.extend(entry);
            }
            TypeKind::Function(..) => entries.extend(self.closure_entry(ty, leaves[0])),
            TypeKind::Region => entries.push(Entry::new(Kind::Handle, leaves[0])),
            TypeKind::Tuple(parts) => {
                let mut rest = leaves;
                for part in parts {
                    let (own, others) = rest.split_at(self.count(*part));
                    self.value_in(*part, own, entries);
                    rest = others;
                }
            }
            TypeKind::Declared(..) if self.layouts.is_boxed(ty) => entries.push(self.node_entry(ty, leaves[0])),
            TypeKind::Declared(..) => self.union_entries(ty, leaves, entries),
            TypeKind::Unit
            | TypeKind::Bool
            | TypeKind::Char
            | TypeKind::Integer(_)
            | TypeKind::Enum(..)
            | TypeKind::Float32
            | TypeKind::Float64
            | TypeKind::NativePointer(_)
            | TypeKind::Parameter(_) => {}
        }
    }

    /// The number of machine values of a value.
    fn count(&self, ty: Type) -> usize {
        let mut scalars = Vec::new();
        flatten(&self.layouts.repr(ty), &mut scalars);
        scalars.len()
    }

    /// The entry of a cell or an array of values of a type, unless these have no bytes.
    fn holder(&self, of: Type, entry: Entry) -> Option<Entry> {
        let extent = self.layouts.extent(&self.layouts.repr(of));
        let table = self.tables.has_pointers(of).then(|| self.content(of));
        (extent.size > Bytes(0)).then_some(Entry { extent, table, ..entry })
    }

    fn node_entry(&self, ty: Type, first: u64) -> Entry {
        let cases = self.program.declared[&ty].cases.len();
        let symbol = Generated::Nodes.symbol(ty.number());
        let entry = |kind| Entry {
            second: self.tables.evacuation.overwritable(ty).into(),
            table: Some(symbol.clone()),
            ..Entry::new(kind, first)
        };
        let (entry, told) = match self.layouts.boxed_tag(ty) {
            BoxedTag::Address(filled) => (Entry { count: cases as u64, ..entry(Kind::Node) }, filled..filled + 1),
            BoxedTag::Stored(bits) => {
                let extent = Extent { size: Bytes(u64::from(bits / 8)), align: Bytes(0) };
                (Entry { extent, ..entry(Kind::TaggedNode) }, 0..cases)
            }
        };
        if self.tables.is_new(&symbol) {
            let nodes: Vec<Constant<'m>> = told.map(|case| self.node_case(ty, case)).collect();
            self.table(&symbol, self.case_type(), nodes);
        }
        entry
    }

    /// The runtime's `Case` for a case of a boxed type.
    fn node_case(&self, ty: Type, case: usize) -> Constant<'m> {
        let fields = &self.program.declared[&ty].cases[case].fields;
        if fields.is_empty() {
            let symbol = &Generated::Fields.symbol("none");
            if self.tables.is_new(symbol) {
                self.entries(symbol, &[]);
            }
            return self.case(Extent::EMPTY, symbol);
        }
        let layout = self.layouts.node(ty, case);
        let mut entries = Vec::new();
        for (field, offset) in fields.iter().zip(&layout.offsets) {
            self.value_at(*field, *offset, &mut entries);
        }
        let symbol = Generated::Fields.symbol(format_args!("{}.{case}", ty.number()));
        self.entries(&symbol, &entries);
        self.case(layout.extent, &symbol)
    }

    /// The entry of a closure of a type, if any closure of it captures something.
    fn closure_entry(&self, ty: Type, first: u64) -> Option<Entry> {
        let lambdas = self.tables.evacuation.lambdas(ty);
        if lambdas.is_empty() {
            return None;
        }
        let symbol = Generated::Lambdas.symbol(ty.number());
        if self.tables.is_new(&symbol) {
            let word = self.build.ptr();
            let row = self.build.record(&[word, self.case_type()]);
            let members: Vec<Constant<'m>> = lambdas
                .iter()
                .map(|lambda| {
                    let code = Constant::address(self.function_symbol(*lambda));
                    Constant::Aggregate(row, vec![code, self.lambda_case(*lambda)])
                })
                .collect();
            self.table(&symbol, row, members);
        }
        let second = self.tables.evacuation.overwritable(ty).into();
        let count = lambdas.len() as u64;
        Some(Entry { second, count, table: Some(symbol), ..Entry::new(Kind::Closure, first) })
    }

    /// The runtime's `Case` for the closures of a function.
    fn lambda_case(&self, lambda: FunctionId) -> Constant<'m> {
        let layout = self.layouts.closure(lambda);
        let symbol = Generated::Captures.symbol(lambda.into_raw().into_u32());
        if self.tables.is_new(&symbol) {
            let held: Vec<Type> = self.tables.evacuation.captures(lambda).map(|(_, held, _)| held).collect();
            let mut entries = Vec::new();
            for slot in &layout.slots {
                self.value_at(held[slot.capture], slot.offset, &mut entries);
            }
            self.entries(&symbol, &entries);
        }
        self.case(layout.in_region, &symbol)
    }

    /// The entries of an unboxed union whose machine values are at these offsets: tag, then slots.
    fn union_entries(&self, ty: Type, leaves: &[u64], entries: &mut Vec<Entry>) {
        let layout = self.layouts.union(ty);
        let slots = &leaves[usize::from(layout.tag_bits.is_some())..];
        let of_case = |case: usize| {
            let mut entries = Vec::new();
            let fields = &self.program.declared[&ty].cases[case].fields;
            for (field, taken) in fields.iter().zip(&layout.cases[case]) {
                let own: Vec<u64> = taken.iter().map(|slot| slots[*slot]).collect();
                self.value_in(*field, &own, &mut entries);
            }
            entries
        };
        let Some(bits) = layout.tag_bits else {
            return entries.extend(of_case(0));
        };
        let mut addresses = Vec::new();
        for case in 0..layout.cases.len() {
            let symbol = self.tables.fresh();
            self.entries(&symbol, &of_case(case));
            addresses.push(Constant::address(symbol));
        }
        let symbol = self.tables.fresh();
        self.table(&symbol, self.build.ptr(), addresses);
        let extent = Extent { size: Bytes(u64::from(bits / 8)), align: Bytes(0) };
        entries.push(Entry { extent, table: Some(symbol), ..Entry::new(Kind::Cases, leaves[0]) });
    }
}

impl<'m> Shared<'_, 'm> {
    /// Tells the runtime what evacuations may encounter.
    pub(crate) fn evacuation_parts(&self) {
        let Parts { kinds, smallest, largest, several, targets, elsewhere } = self.tables.parts.get();
        let flags = u64::from(several) | u64::from(targets) << 1 | u64::from(elsewhere) << 2;
        let word = self.layouts.word_bits();
        for (name, bits, value) in [
            ("clef_evacuation_kinds", 32, u64::from(kinds)),
            ("clef_evacuation_smallest", word, smallest.0),
            ("clef_evacuation_largest", word, largest.0),
            ("clef_evacuation_flags", 32, flags),
        ] {
            let value = Constant::Integer(self.build.int(bits), value.cast_signed());
            self.build.global(&Global::constant(name, value).external().align(u64::from(bits / 8)));
        }
    }

    /// The type of the runtime's `Case`.
    fn case_type(&self) -> MlirType<'m> {
        let half = self.build.int(32);
        self.build.record(&[half, half, self.build.ptr()])
    }

    fn case(&self, extent: Extent, entries: &str) -> Constant<'m> {
        self.tables.note_object(extent);
        let half = self.build.int(32);
        let number = |value: u64| Constant::Integer(half, value.cast_signed());
        let members = vec![number(extent.size.0), number(extent.align.0), Constant::address(entries)];
        Constant::Aggregate(self.case_type(), members)
    }

    /// A list of entries, with its terminator.
    fn entries(&self, symbol: &str, entries: &[Entry]) {
        let half = self.build.int(32);
        let row = self.build.record(&[half, half, half, half, half, half, self.build.ptr()]);
        let constant = |entry: &Entry| {
            let Entry { kind, first, second, count, extent, table } = entry;
            let numbers = [*kind as u64, *first, *second, *count, extent.size.0, extent.align.0];
            let mut members: Vec<Constant<'m>> =
                numbers.into_iter().map(|number| Constant::Integer(half, number.cast_signed())).collect();
            members.push(match table {
                Some(table) => Constant::address(table),
                None => Constant::Zero(self.build.ptr()),
            });
            Constant::Aggregate(row, members)
        };
        entries.iter().for_each(|entry| self.tables.note_entry(entry));
        let end = Entry::new(Kind::End, 0);
        self.table(symbol, row, entries.iter().chain([&end]).map(constant).collect());
    }

    /// A constant array.
    fn table(&self, symbol: &str, row: MlirType<'m>, members: Vec<Constant<'m>>) {
        let ty = self.build.array(row, members.len() as u32);
        let align = u64::from(self.layouts.word_bits() / 8);
        self.build.global(&Global::constant(symbol, Constant::Aggregate(ty, members)).align(align));
    }
}
