//! The call graph of an image.
//!
//! In: the functions of the image, and LLVM's data on those that it compiled. Out: a [`Graph`], in which every possible
//! call has an edge.
//! - For functions that LLVM compiled, frames are LLVM's, direct calls are those of the instructions, and unknown calls
//!   reach the functions of their signature whose address is taken. Of these, a call written in Clef reaches only the
//!   closures that the front end has found.
//! - For builtin routines and code of other languages, a frame is the sum of all that instructions push, and a call by
//!   address has no known target.

use super::{Origins, code::Code, step::Step};
use clef_base::{HashMap, HashSet};
use clef_mlir::llvm::{Body, Callee, Frame, Objects, Signature};
use clef_runtime::{
    ASSEMBLY_CALLS, FAULT_ENTRY, FAULT_FRAME, FLASH_FRAME, FLASH_LEAVE, INTERRUPT_ENTRY, INTERRUPT_FRAME,
    INTERRUPT_STEPS, RUN_CONSTRUCTORS, TRAP_FRAME, TRAP_STACK,
};
use clef_types::{
    console_symbol::{RECEIVE, SEND},
    interrupt_symbol::INTERRUPT,
};

/// The functions of an image and their calls.
#[derive(Debug, Default)]
pub(super) struct Graph {
    /// The functions.
    pub(super) nodes: Vec<Node>,
}

/// A function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Node {
    /// Its symbol.
    pub(super) name: String,
    /// The bytes of its frame.
    pub(super) frame: u64,
    /// The bytes that its callers push for it: arguments, and the return address if the call pushes it.
    pub(super) arguments: u64,
    /// What it calls.
    pub(super) edges: Vec<Edge>,
    /// Why its instructions do not determine its stack use.
    pub(super) obstacle: Option<Obstacle>,
}

/// A call.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Edge {
    /// The index of the callee.
    pub(super) to: usize,
    /// Whether the caller's frame is freed before the callee begins.
    pub(super) tail: bool,
}

/// What the instructions do not determine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Obstacle {
    /// The movement of the stack pointer.
    StackPointer,
    /// The callee.
    Callee,
}

/// The bytes that the processor pushes for a call.
pub(super) type ReturnAddress = u64;

/// The largest frame of other functions in assembly.
const NAKED_FRAME: u64 = 16;

/// The prefix of the runtime's functions that report a trap.
const TRAP: &str = "clef_trap";

/// The prefix of the names of functions that LLVM's outliner makes.
const OUTLINED: &str = "OUTLINED_FUNCTION_";

/// The additional stack of a function that calls outlined functions: their return address and their callers', aligned.
const OUTLINED_FRAME: u64 = 32;

/// LLVM's data on the functions that it compiled.
struct Known<'a> {
    bodies: HashMap<&'a str, &'a Body>,
    frames: HashMap<&'a str, u64>,
    /// The functions that unknown calls of a signature may reach.
    reached: HashMap<&'a Signature, Reached<'a>>,
    /// The bytes of arguments that calls push for functions of which nothing else is known.
    given: HashMap<&'a str, u64>,
    /// The data of the front end.
    origins: &'a Origins,
}

/// The functions that unknown calls of a signature may reach.
#[derive(Default)]
struct Reached<'a> {
    /// Those of the program, of which the front end says who reaches them.
    own: HashSet<&'a str>,
    /// The others.
    foreign: Vec<&'a str>,
}

impl<'a> Known<'a> {
    fn new(bodies: &'a [Body], frames: &'a [Frame], origins: &'a Origins) -> Known<'a> {
        let mut reached: HashMap<&Signature, Reached<'_>> = HashMap::default();
        let mut given: HashMap<&str, u64> = HashMap::default();
        for body in bodies {
            if body.address_is_taken {
                let reached = reached.entry(&body.signature).or_default();
                if origins.of.contains_key(&body.function) {
                    reached.own.insert(&body.function);
                } else {
                    reached.foreign.push(&body.function);
                }
            }
            for call in &body.calls {
                if let Callee::Known(name) = &call.callee {
                    let most = given.entry(name).or_default();
                    *most = call.arguments.max(*most);
                }
            }
        }
        Known {
            bodies: bodies.iter().map(|body| (body.function.as_str(), body)).collect(),
            frames: frames.iter().map(|frame| (frame.function.as_str(), frame.bytes)).collect(),
            reached,
            given,
            origins,
        }
    }
}

impl Graph {
    /// Makes the graph.
    pub(super) fn of(codes: &[Code], objects: &Objects, origins: &Origins, pushed: ReturnAddress) -> Graph {
        let known = Known::new(&objects.bodies, &objects.frames, origins);
        let names = codes.iter().enumerate().flat_map(|(index, code)| code.names.iter().map(move |name| (name, index)));
        let image = Image { codes, numbers: names.map(|(name, index)| (name.as_str(), index)).collect() };
        let node = |code: &Code| {
            let body = code.names.iter().find_map(|name| known.bodies.get(name.as_str()));
            let mut node = match (body, assembly(code, &image)) {
                (Some(body), _) => compiled(code, body, &known, &image),
                (None, Some(node)) => node,
                (None, None) => measured(code, &known, &image),
            };
            node.arguments += pushed;
            node.edges.sort_by_key(|edge| (edge.to, edge.tail));
            node.edges.dedup();
            node
        };
        Graph { nodes: codes.iter().map(node).collect() }
    }

    /// Adds the calls of constructors, which are at these addresses of code. Nothing else is called where they are.
    pub(super) fn add_constructors(&mut self, codes: &[Code], constructors: &[u64]) {
        let Some(caller) = self.find(RUN_CONSTRUCTORS) else { return };
        self.nodes[caller].edges.clear();
        for at in constructors {
            match codes.iter().position(|code| code.start == *at) {
                Some(to) => self.nodes[caller].edges.push(Edge { to, tail: false }),
                None => self.nodes[caller].obstacle = Some(Obstacle::Callee),
            }
        }
    }

    /// Leaves out calls of traps in the console on a serial line, and in all that it calls: drivers of lines do not trap with the settings of a
    /// descriptor, nor with those that `Uart.start` passes. A report would use the same console.
    pub(super) fn trust_console(&mut self) {
        let mut pending: Vec<usize> = [SEND, RECEIVE].into_iter().filter_map(|name| self.find(name)).collect();
        let mut reached: HashSet<usize> = pending.iter().copied().collect();
        while let Some(caller) = pending.pop() {
            let edges = std::mem::take(&mut self.nodes[caller].edges);
            let others = edges.into_iter().filter(|edge| !self.nodes[edge.to].name.starts_with(TRAP));
            self.nodes[caller].edges = others.collect();
            pending.extend(self.nodes[caller].edges.iter().map(|edge| edge.to).filter(|to| reached.insert(*to)));
        }
    }

    /// The index of the function of a symbol.
    pub(super) fn find(&self, name: &str) -> Option<usize> {
        self.nodes.iter().position(|node| node.name == name)
    }
}

/// The functions of the image, by symbol and by address.
struct Image<'a> {
    codes: &'a [Code],
    numbers: HashMap<&'a str, usize>,
}

impl Image<'_> {
    /// The index of the function that contains an address.
    fn at(&self, address: u64) -> Option<usize> {
        let next = self.codes.partition_point(|code| code.start <= address);
        let index = next.checked_sub(1)?;
        (address < self.codes[index].end).then_some(index)
    }

    /// The calls and jumps of a function's instructions; none if one has a target outside all functions.
    fn direct(&self, code: &Code) -> Option<Vec<Edge>> {
        let edges = code.steps.iter().filter_map(|step| match *step {
            Step::Call(target) => Some(self.at(target).map(|to| Edge { to, tail: false })),
            Step::Jump(target) => Some(self.at(target).map(|to| Edge { to, tail: true })),
            Step::Other | Step::CallUnknown | Step::JumpUnknown | Step::JumpTable | Step::Push(_) | Step::Unknown => {
                None
            }
        });
        edges.collect()
    }

    fn is_outlined(&self, index: usize) -> bool {
        self.codes[index].names.iter().any(|name| name.starts_with(OUTLINED))
    }
}

/// A function of the runtime in assembly, whose calls are listed with it, or whose frame includes what it calls outside of the image.
fn assembly(code: &Code, image: &Image<'_>) -> Option<Node> {
    let is = |symbol: &str| code.names.iter().any(|name| name == symbol);
    let call = |callee: &str| Some(Edge { to: *image.numbers.get(callee)?, tail: false });
    let name = code.names.first()?.clone();
    let (edges, frame): (Vec<Edge>, u64) = if is(INTERRUPT_ENTRY) {
        let handlers = image.numbers.keys().copied().filter(|name| name.starts_with(INTERRUPT));
        (handlers.chain(INTERRUPT_STEPS).filter_map(call).collect(), INTERRUPT_FRAME)
    } else if is(FLASH_LEAVE) {
        return Some(Node { name, frame: FLASH_FRAME, arguments: 0, edges: Vec::new(), obstacle: None });
    } else {
        let calls = ASSEMBLY_CALLS.iter().filter(|(caller, _)| is(caller));
        let frames = [(TRAP_STACK, TRAP_FRAME), (FAULT_ENTRY, FAULT_FRAME)];
        let frame = frames.iter().find(|(symbol, _)| is(symbol)).map_or(NAKED_FRAME, |(_, frame)| *frame);
        (calls.filter_map(|(_, callee)| call(callee)).collect(), frame)
    };
    (!edges.is_empty()).then_some(Node { name, frame, arguments: 0, edges, obstacle: None })
}

/// A function that LLVM compiled in this process.
fn compiled(code: &Code, body: &Body, known: &Known<'_>, image: &Image<'_>) -> Node {
    let found = image.direct(code);
    let obstacle = found.is_none().then_some(Obstacle::Callee);
    let direct = found.unwrap_or_default();
    let directly: HashSet<usize> = direct.iter().map(|edge| edge.to).collect();
    let mut edges = direct.clone();
    let calls_piece = direct.iter().any(|edge| image.is_outlined(edge.to));
    let jumps_to_piece = direct.iter().any(|edge| edge.tail && image.is_outlined(edge.to));
    // If there are more calls by address than non-tail calls, some tail calls have become calls.
    let calls_by_address = code.steps.contains(&Step::CallUnknown);
    let unknown =
        |tail: bool| body.calls.iter().any(|call| call.tail == tail && matches!(call.callee, Callee::Unknown { .. }));
    let jumps_by_address = code.steps.contains(&Step::JumpUnknown) || jumps_to_piece;
    let tails_jump = jumps_by_address && (!calls_by_address || unknown(false));
    let mut add = |name: &str, tail: bool| {
        if let Some(&to) = image.numbers.get(name) {
            edges.push(Edge { to, tail });
        }
    };
    for call in &body.calls {
        match &call.callee {
            Callee::Known(name) => {
                let is_direct = image.numbers.get(name.as_str()).is_some_and(|to| directly.contains(to));
                // Calls of itself are among its instructions, or have become loops.
                let is_loop = code.names.contains(name) && !calls_piece;
                if !is_loop && !is_direct {
                    add(name, call.tail && jumps_to_piece);
                }
            }
            Callee::Unknown { signature, writer } => {
                let said =
                    writer.as_ref().and_then(|writer| known.origins.of.get(writer)).map(|origin| &origin.reaches);
                let Some(Reached { own, foreign }) = known.reached.get(signature) else { continue };
                let mut reach = |name: &str| add(name, call.tail && tails_jump);
                match said {
                    Some(said) => said.iter().filter(|name| own.contains(name.as_str())).for_each(|name| reach(name)),
                    None => own.iter().for_each(|name| reach(name)),
                }
                foreign.iter().for_each(|name| reach(name));
            }
        }
    }
    let frame = known.frames.get(body.function.as_str()).copied().unwrap_or(0) + body.alignment;
    let frame = if calls_piece { frame + OUTLINED_FRAME } else { frame };
    Node { name: body.function.clone(), frame, arguments: body.arguments, edges, obstacle }
}

/// A function of which only the instructions are known.
fn measured(code: &Code, known: &Known<'_>, image: &Image<'_>) -> Node {
    let name = code.names.first().cloned().unwrap_or_default();
    let direct = image.direct(code);
    let (mut frame, mut obstacle) = (0, direct.is_none().then_some(Obstacle::Callee));
    for step in &code.steps {
        match step {
            Step::Push(bytes) => frame += bytes,
            Step::Unknown => obstacle = Some(Obstacle::StackPointer),
            // The calls by address of an outlined function are also those of the functions that contained the code.
            Step::CallUnknown | Step::JumpUnknown if !name.starts_with(OUTLINED) => {
                obstacle = obstacle.or(Some(Obstacle::Callee));
            }
            Step::Other | Step::Call(_) | Step::Jump(_) | Step::CallUnknown | Step::JumpUnknown | Step::JumpTable => {}
        }
    }
    let arguments = code.names.iter().filter_map(|name| known.given.get(name.as_str())).max().copied().unwrap_or(0);
    Node { name, frame, arguments, edges: direct.unwrap_or_default(), obstacle }
}
