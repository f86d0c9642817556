//! Evacuation of random graphs: afterwards the graph is the same, including sharing and cycles, and everything
//! unreachable is free.

use super::*;
use crate::region::setting::fixed::Fixed;
use proptest::prelude::*;
use std::{collections::HashMap, mem::offset_of};

const PAGE: usize = 256;
const PAGES: usize = 400;
/// Miri is slow.
const ROUNDS: usize = if cfg!(miri) { 200 } else { 100_000 };
const CASES: u32 = if cfg!(miri) { 12 } else { 256 };

#[repr(align(64))]
struct Memory([u8; PAGES * PAGE]);

/// An object of the model. The numbers of other objects are taken modulo their count.
#[derive(Clone, Debug)]
enum Object {
    Node { small: u8, left: usize, right: Option<usize> },
    Cell(usize),
    Text(Vec<u8>),
    Array(Vec<usize>),
    Lambda { number: usize, captured: usize },
}

/// A value in memory: its kind of object, and its address. The length counts for texts and arrays.
#[derive(Clone, Copy)]
#[repr(C)]
struct Value {
    tag: u32,
    address: *mut u8,
    length: usize,
}

#[repr(C)]
struct Node {
    small: u8,
    left: Value,
    right: *mut Node,
}

#[repr(C)]
struct Closure {
    code: *const (),
    captured: Value,
    number: usize,
    handle: *mut Region,
}

const END: Entry = Entry { kind: Kind::End, first: 0, second: 0, count: 0, size: 0, align: 0, table: std::ptr::null() };
const ALIGN: u32 = align_of::<Value>() as u32;

/// The tables of all types, which refer to each other. They live as long as the test.
struct Tables {
    nodes: *mut Case,
    lambdas: *mut Lambda,
    /// A value at offset zero.
    value: *mut [Entry; 2],
}

fn keep<T>(value: T) -> *mut T {
    Box::into_raw(Box::new(value))
}

impl Tables {
    fn new() -> Tables {
        let code = keep(0_u8).cast::<()>();
        let none = Case { size: 0, align: 0, entries: std::ptr::null() };
        let tables = Tables { nodes: keep(none), lambdas: keep(Lambda { code, node: none }), value: keep([END; 2]) };
        let captured = keep([
            tables.value_at(offset_of!(Closure, captured)),
            Entry { kind: Kind::Handle, first: offset_of!(Closure, handle) as u32, ..END },
            END,
        ]);
        let left = tables.value_at(offset_of!(Node, left));
        let node = keep([left, tables.node_at(offset_of!(Node, right)), END]);
        // SAFETY: the tables were just made.
        unsafe {
            *tables.value = [tables.value_at(0), END];
            *tables.nodes = Case { size: size_of::<Node>() as u32, align: ALIGN, entries: node.cast() };
            let closure = Case { size: size_of::<Closure>() as u32, align: ALIGN, entries: captured.cast() };
            (*tables.lambdas).node = closure;
        }
        tables
    }

    fn node_at(&self, at: usize) -> Entry {
        Entry { kind: Kind::Node, first: at as u32, second: 1, count: 1, table: self.nodes.cast(), ..END }
    }

    fn value_at(&self, at: usize) -> Entry {
        let address = at + offset_of!(Value, address);
        let first = address as u32;
        let second = (at + offset_of!(Value, length)) as u32;
        let of_values = Entry { first, size: size_of::<Value>() as u32, align: ALIGN, table: self.value.cast(), ..END };
        let cases = [
            self.node_at(address),
            Entry { kind: Kind::Cell, ..of_values },
            Entry { kind: Kind::Text, first, second, ..END },
            Entry { kind: Kind::Array, second, ..of_values },
            Entry { kind: Kind::Closure, first, second: 1, count: 1, table: self.lambdas.cast(), ..END },
        ];
        let cases = keep(cases.map(|case| keep([case, END])));
        Entry { kind: Kind::Cases, first: at as u32, size: 4, table: cases.cast(), ..END }
    }
}

/// A pool with two regions to be emptied, one that stays, and one that receives the content of the second.
struct World {
    pool: Pool<Fixed>,
    regions: [Region; 4],
    tables: Tables,
}

impl World {
    fn object(&mut self, region: usize, size: usize) -> *mut u8 {
        let object = self.regions[region].allocate(&mut self.pool, size, ALIGN as usize);
        object.expect("the pool suffices").as_ptr()
    }

    /// Makes all objects, then fills them in; returns their addresses.
    fn build(&mut self, objects: &[(usize, Object)]) -> Vec<Value> {
        let mut made = Vec::new();
        for (region, object) in objects {
            let (tag, size, length) = match object {
                Object::Node { .. } => (0, size_of::<Node>(), 0),
                Object::Cell(_) => (1, size_of::<Value>(), 0),
                Object::Text(bytes) => (2, bytes.len(), bytes.len()),
                Object::Array(elements) => (3, elements.len() * size_of::<Value>(), elements.len()),
                Object::Lambda { .. } => (4, size_of::<Closure>(), 0),
            };
            made.push(Value { tag, address: self.object(*region, size), length });
        }
        for ((region, object), value) in objects.iter().zip(&made) {
            let other = |number: &usize| made[number % made.len()];
            // SAFETY: there is space for the object.
            unsafe {
                match object {
                    Object::Node { small, left, right } => {
                        let right = right.as_ref().map(other).filter(|right| right.tag == 0);
                        let right = right.map_or(null_mut(), |right| right.address).cast();
                        value.address.cast::<Node>().write(Node { small: *small, left: other(left), right });
                    }
                    Object::Cell(content) => value.address.cast::<Value>().write(other(content)),
                    Object::Text(bytes) => value.address.copy_from(bytes.as_ptr(), bytes.len()),
                    Object::Array(elements) => {
                        for (index, element) in elements.iter().enumerate() {
                            value.address.cast::<Value>().add(index).write(other(element));
                        }
                    }
                    Object::Lambda { number, captured } => {
                        let code = (*self.tables.lambdas).code;
                        let handle = &raw mut self.regions[*region];
                        let closure = Closure { code, captured: other(captured), number: *number, handle };
                        value.address.cast::<Closure>().write(closure);
                    }
                }
            }
        }
        made
    }

    /// Compares memory with the model, starting at an object.
    fn compare(&self, objects: &[(usize, Object)], root: usize, value: Value) -> Result<(), TestCaseError> {
        let mut met: HashMap<usize, Value> = HashMap::new();
        let mut queue = vec![(root, value)];
        while let Some((number, value)) = queue.pop() {
            let number = number % objects.len();
            if let Some(met) = met.get(&number) {
                let same = met.length == 0 && value.length == 0 && met.tag > 1 || met.address == value.address;
                prop_assert!(same, "what was one object is two");
                continue;
            }
            met.insert(number, value);
            let (region, object) = &objects[number];
            // SAFETY: the value points to an object of its kind; otherwise the test fails.
            unsafe {
                match object {
                    Object::Node { small, left, right } => {
                        prop_assert_eq!(value.tag, 0);
                        let node = &*value.address.cast::<Node>();
                        prop_assert_eq!(node.small, *small);
                        queue.push((*left, node.left));
                        let right =
                            right.filter(|right| matches!(objects[right % objects.len()].1, Object::Node { .. }));
                        prop_assert_eq!(right.is_none(), node.right.is_null());
                        if let Some(right) = right {
                            queue.push((right, Value { tag: 0, address: node.right.cast(), length: 0 }));
                        }
                    }
                    Object::Cell(content) => queue.push((*content, *value.address.cast::<Value>())),
                    Object::Text(bytes) => {
                        prop_assert_eq!(value.length, bytes.len());
                        if !bytes.is_empty() {
                            prop_assert_eq!(std::slice::from_raw_parts(value.address, value.length), &bytes[..]);
                        }
                    }
                    Object::Array(elements) => {
                        for (index, element) in elements.iter().enumerate() {
                            queue.push((*element, *value.address.cast::<Value>().add(index)));
                        }
                    }
                    Object::Lambda { number, captured } => {
                        let closure = &*value.address.cast::<Closure>();
                        prop_assert_eq!(closure.number, *number);
                        let handle = if *region == 1 { 3 } else { *region };
                        prop_assert_eq!(closure.handle.cast_const(), &raw const self.regions[handle]);
                        queue.push((*captured, closure.captured));
                    }
                }
            }
        }
        Ok(())
    }
}

fn object() -> impl Strategy<Value = Object> {
    prop_oneof![
        4 => (any::<u8>(), any::<usize>(), any::<Option<usize>>())
            .prop_map(|(small, left, right)| Object::Node { small, left, right }),
        1 => any::<usize>().prop_map(Object::Cell),
        2 => proptest::collection::vec(any::<u8>(), 0..400).prop_map(Object::Text),
        2 => proptest::collection::vec(any::<usize>(), 0..20).prop_map(Object::Array),
        1 => (any::<usize>(), any::<usize>()).prop_map(|(number, captured)| Object::Lambda { number, captured }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(CASES))]

    #[test]
    fn what_is_reachable_stays(
        objects in proptest::collection::vec((0..3_usize, object()), 1..60),
        root in any::<usize>(),
        page in prop_oneof![Just(128_usize), Just(PAGE), Just(1024)],
    ) {
        let mut memory: Box<Memory> = Box::new(Memory([0; PAGES * PAGE]));
        let range = memory.0.as_mut_ptr_range();
        let pool = Pool::new(Fixed::new(range, page));
        let mut world = Box::new(World { pool, regions: [const { Region::EMPTY }; 4], tables: Tables::new() });
        let all = world.pool.free_bytes();
        let made = world.build(&objects);
        let mut value = made[root % made.len()];
        // Twice, so that moved objects are moved again.
        for round in 0..2 {
            let [first, second, _, fourth] = &mut world.regions;
            let first = Move { from: first, to: null_mut() };
            let mut moves = [
                first,
                first,
                if round == 0 { Move { from: second, to: fourth } } else { Move { from: fourth, to: null_mut() } },
            ];
            let entries = world.tables.value.cast::<Entry>();
            // SAFETY: the tables describe the value.
            let sufficed = unsafe {
                evacuate(&mut world.pool, moves.as_mut_ptr(), 3, (&raw mut value).cast(), entries, false)
            };
            prop_assert!(sufficed);
            prop_assert_eq!(world.regions[1].held, 0);
            // Overwrites everything that was returned.
            let mut poison = Region::EMPTY;
            while let Some(bytes) = poison.allocate(&mut world.pool, page - super::super::HEADER, 1) {
                // SAFETY: the bytes were just allocated.
                unsafe { bytes.write_bytes(0xa5, page - super::super::HEADER) };
            }
            poison.leave(&mut world.pool);
            world.compare(&objects, root, value)?;
        }
        let World { pool, regions, .. } = &mut *world;
        regions.iter_mut().for_each(|region| region.leave(pool));
        prop_assert_eq!(world.pool.free_bytes(), all);
    }
}

#[test]
fn texts_within_an_array_of_bytes_stay() {
    #[repr(C)]
    struct Both {
        array: *mut u8,
        length: usize,
        text: *mut u8,
        text_length: usize,
    }
    let entries = [
        Entry { kind: Kind::Array, first: 0, second: offset_of!(Both, length) as u32, size: 1, align: 1, ..END },
        Entry {
            kind: Kind::Text,
            first: offset_of!(Both, text) as u32,
            second: offset_of!(Both, text_length) as u32,
            ..END
        },
        END,
    ];
    let mut memory: Box<Memory> = Box::new(Memory([0; PAGES * PAGE]));
    let range = memory.0.as_mut_ptr_range();
    let mut pool = Pool::new(Fixed::new(range, PAGE));
    let mut region = Region::EMPTY;
    let array = region.allocate(&mut pool, 32, 16).expect("the pool suffices").as_ptr();
    // SAFETY: there is space, and the entries describe the value.
    unsafe {
        array.copy_from(b"bytes that a text is a part of..".as_ptr(), 32);
        let mut both = Both { array, length: 32, text: array.add(2), text_length: 10 };
        let mut moves = [Move { from: &mut region, to: null_mut() }];
        let value = (&raw mut both).cast();
        assert!(evacuate(&mut pool, moves.as_mut_ptr(), 1, value, entries.as_ptr(), false));
        assert_eq!(std::slice::from_raw_parts(both.array, both.length), b"bytes that a text is a part of..");
        assert_eq!(std::slice::from_raw_parts(both.text, both.text_length), b"tes that a");
    }
}

#[test]
fn state_that_only_turns_over_takes_constant_memory() {
    let mut memory: Box<Memory> = Box::new(Memory([0; PAGES * PAGE]));
    let range = memory.0.as_mut_ptr_range();
    let pool = Pool::new(Fixed::new(range, PAGE));
    let mut world = World { pool, regions: [const { Region::EMPTY }; 4], tables: Tables::new() };
    let mut value = world.build(&[(0, Object::Text(vec![1; 10]))])[0];
    for round in 0..ROUNDS {
        let node = world.object(0, size_of::<Node>()).cast::<Node>();
        // SAFETY: there is space for a node, and a pair of words is at each pointer.
        unsafe {
            node.write(Node { small: round as u8, left: value, right: null_mut() });
            // The queue is eight nodes long.
            let mut last = node;
            for _ in 0..7 {
                if (*last).left.tag == 0 {
                    last = (*last).left.address.cast();
                }
            }
            (*last).left = Value { tag: 2, address: null_mut(), length: 0 };
        }
        value = Value { tag: 0, address: node.cast(), length: 0 };
        let mut moves = [Move { from: &mut world.regions[0], to: null_mut() }];
        // SAFETY: the move is valid.
        let is_due = world.regions[0].is_due() && !unsafe { postpone(&world.pool, moves.as_mut_ptr(), 1) };
        if is_due {
            let entries = world.tables.value.cast::<Entry>();
            // SAFETY: the tables describe the value.
            assert!(unsafe {
                evacuate(&mut world.pool, moves.as_mut_ptr(), 1, (&raw mut value).cast(), entries, false)
            });
        }
        assert!(world.regions[0].held <= world.pool.growth() + 8 * PAGE);
    }
}

/// With nothing but nodes of one type, the rest of evacuation is left out.
#[test]
fn a_queue_of_nodes_needs_nodes_only() {
    #[repr(C)]
    struct Link {
        number: usize,
        next: *mut Link,
    }
    let case = keep(Case { size: size_of::<Link>() as u32, align: align_of::<Link>() as u32, entries: null_mut() });
    let table = case.cast_const().cast();
    let at = |first| [Entry { kind: Kind::Node, first, count: 1, table, ..END }, END];
    let fields = keep(at(offset_of!(Link, next) as u32));
    // SAFETY: the case was just made.
    unsafe { (*case).entries = fields.cast() };
    let root = at(0);
    let mut memory: Box<Memory> = Box::new(Memory([0; PAGES * PAGE]));
    let mut setting = Fixed::new(memory.0.as_mut_ptr_range(), PAGE);
    setting.parts = Parts {
        kinds: 1 << Kind::End as u32 | 1 << Kind::Node as u32,
        smallest: size_of::<Link>(),
        largest: size_of::<Link>(),
        several: false,
        targets: false,
        elsewhere: false,
    };
    let mut pool = Pool::new(setting);
    let mut region = Region::EMPTY;
    let mut list: *mut Link = null_mut();
    for round in 0..ROUNDS {
        let link = region.allocate(&mut pool, size_of::<Link>(), align_of::<Link>()).expect("the pool suffices");
        let link = link.cast::<Link>().as_ptr();
        // SAFETY: there is space for a link, and all links are valid.
        unsafe {
            link.write(Link { number: round, next: list });
            list = link;
            let mut last = list;
            for number in (0..=round).rev().take(100) {
                assert_eq!((*last).number, number);
                if (*last).next.is_null() {
                    break;
                }
                last = (*last).next;
            }
            // All but the last hundred links are garbage.
            (*last).next = null_mut();
            let is_due = region.is_due();
            let mut moves = [Move { from: &mut region, to: null_mut() }];
            if is_due && !postpone(&pool, moves.as_mut_ptr(), 1) {
                let value = (&raw mut list).cast();
                assert!(evacuate(&mut pool, moves.as_mut_ptr(), 1, value, root.as_ptr(), false));
            }
        }
        assert!(region.held <= 5 * (101 * size_of::<Link>()).next_multiple_of(PAGE));
    }
}
